"""The site's settings, all from typed environment variables; the defaults need only Python."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from benchmark.env import (
    env_bool,
    env_choice,
    env_hosts,
    env_int,
    env_list,
    env_networks,
    env_optional,
    env_path,
    env_secret,
    env_site,
    env_str,
    env_url,
    file_storage,
    from_url,
    keep_to_oneself,
    sqlite,
)
from benchmark.operations.logs import logging_config
from extensions import EXTENSIONS
from tasks.suites import DEFAULT, SUITES

BASE_DIR = Path(__file__).resolve().parent.parent
WEB = ("http", "https")
STATIC_ROOT = env_path("VECBOARD_STATIC_ROOT", BASE_DIR / "staticfiles")
with suppress(OSError):  # a read-only image has collected its files already
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # readable by all accounts, such as a proxy's
VECBOARD_VAR = env_path("VECBOARD_VAR", BASE_DIR / "var")
STORAGE_ROOT = env_path("VECBOARD_STORAGE", VECBOARD_VAR / "storage")
keep_to_oneself(VECBOARD_VAR, STORAGE_ROOT)
SHIPPED_ROOT = BASE_DIR / "benchmark" / "shipped"  # reports that ship with the program, and lists of their vectors

DEBUG = env_bool("DEBUG", False)
SECRET_KEY = env_secret("SECRET_KEY", generated_in=VECBOARD_VAR / "secret-key")

# The suite, and whether data may be fetched for it (tasks/datasets/ reads the latter itself)
VECBOARD_SUITE = env_choice("VECBOARD_SUITE", DEFAULT, tuple(SUITES))
VECBOARD_SUITE_IS_CHOSEN = bool(env_str("VECBOARD_SUITE", ""))
VECBOARD_OFFLINE = env_bool("VECBOARD_OFFLINE", False)

# Limits of one upload, which the form states
VECBOARD_MAX_UPLOAD_BYTES = env_int("VECBOARD_MAX_UPLOAD_BYTES", 3_000_000_000, least=1)
VECBOARD_MAX_EXPANDED_BYTES = env_int("VECBOARD_MAX_EXPANDED_BYTES", 12_000_000_000, least=1)
VECBOARD_MAX_WORDS = env_int("VECBOARD_MAX_WORDS", 5_000_000, least=100)
VECBOARD_MAX_DIMENSIONS = env_int("VECBOARD_MAX_DIMENSIONS", 2_000, least=2)

# Limits of texts that visitors send, corpora and labelled texts, and of the process that reads and measures them
VECBOARD_MAX_CORPUS_BYTES = env_int("VECBOARD_MAX_CORPUS_BYTES", 150_000_000, least=1)
VECBOARD_MAX_CORPUS_WORDS = env_int("VECBOARD_MAX_CORPUS_WORDS", 10_000_000, least=1)
VECBOARD_CORPUS_MEMORY_MB = env_int("VECBOARD_CORPUS_MEMORY_MB", 4_000)
VECBOARD_CORPUS_SECONDS = env_int("VECBOARD_CORPUS_SECONDS", 20_000, least=1)
VECBOARD_MAX_OWN_BYTES = env_int("VECBOARD_MAX_OWN_BYTES", 20_000_000, least=1)
VECBOARD_MAX_OWN_TEXTS = env_int("VECBOARD_MAX_OWN_TEXTS", 100_000, least=1)

# Hosts from which workers fetch files by https (none: never), files at once, and the time limit of one
VECBOARD_FETCH_HOSTS = env_hosts("VECBOARD_FETCH_HOSTS")
VECBOARD_FETCHES_AT_ONCE = env_int("VECBOARD_FETCHES_AT_ONCE", 1, least=1)
VECBOARD_FETCH_SECONDS = env_int("VECBOARD_FETCH_SECONDS", 3_600, least=1)

# Where work is queued: Redis, or an embedded broker under VECBOARD_VAR
REDIS_URL = env_url("REDIS_URL", ("redis", "rediss")) or None

# When work counts as lost, and the number of tries
VECBOARD_SWEEP_SECONDS = env_int("VECBOARD_SWEEP_SECONDS", 30, least=1)
VECBOARD_SILENCE_SECONDS = env_int("VECBOARD_SILENCE_SECONDS", 90, least=2)
VECBOARD_MESSAGE_LOST_SECONDS = env_int("VECBOARD_MESSAGE_LOST_SECONDS", 60, least=1)
VECBOARD_WORKERS_ON_DEMAND = env_bool("VECBOARD_WORKERS_ON_DEMAND", False)
VECBOARD_MOST_TRIES = env_int("VECBOARD_MOST_TRIES", 3, least=1)

# Memory and time of a worker's job; 0 means no limit
VECBOARD_JOB_MEMORY_MB = env_int("VECBOARD_JOB_MEMORY_MB", 0)
VECBOARD_PARSE_MEMORY_MB = env_int("VECBOARD_PARSE_MEMORY_MB", 2_000)
VECBOARD_PARSE_SECONDS = env_int("VECBOARD_PARSE_SECONDS", 3_600)

# Where uploaded files and outcomes are kept: below STORAGE_ROOT, or in an S3 bucket (keys by AWS_ACCESS_KEY_ID, …)
VECBOARD_S3_BUCKET = env_optional("VECBOARD_S3_BUCKET")
VECBOARD_S3_ENDPOINT = env_url("VECBOARD_S3_ENDPOINT", WEB) or None
VECBOARD_S3_REGION = env_optional("VECBOARD_S3_REGION")

# How long files are kept (0 days: forever), and how much the prepared forms may take; free space for uploads
VECBOARD_KEEP_ORIGINALS_DAYS = env_int("VECBOARD_KEEP_ORIGINALS_DAYS", 0)
VECBOARD_KEEP_OUTCOMES_DAYS = env_int("VECBOARD_KEEP_OUTCOMES_DAYS", 0)
VECBOARD_KEEP_COMPARISONS_DAYS = env_int("VECBOARD_KEEP_COMPARISONS_DAYS", 180)
VECBOARD_KEEP_CORPORA_DAYS = env_int("VECBOARD_KEEP_CORPORA_DAYS", 90)
VECBOARD_KEEP_OWN_DAYS = env_int("VECBOARD_KEEP_OWN_DAYS", 30, least=1)
VECBOARD_PREPARED_BYTES = env_int("VECBOARD_PREPARED_BYTES", 50_000_000_000)
VECBOARD_DISK_LOW_BYTES = env_int("VECBOARD_DISK_LOW_BYTES", 10_000_000_000)
VECBOARD_DISK_STOP_BYTES = env_int("VECBOARD_DISK_STOP_BYTES", 2_000_000_000)

# Days without an answer after which an open study counts as closed, for deleting data of its raters (0: never)
VECBOARD_STUDY_IDLE_DAYS = env_int("VECBOARD_STUDY_IDLE_DAYS", 180)

# Limits per person (account, or else address); 0 means no limit
VECBOARD_UPLOADS_PER_DAY = env_int("VECBOARD_UPLOADS_PER_DAY", 50)
VECBOARD_OPEN_UPLOADS = env_int("VECBOARD_OPEN_UPLOADS", 20)
VECBOARD_BYTES_PER_DAY = env_int("VECBOARD_BYTES_PER_DAY", 100_000_000_000)
VECBOARD_OPEN_PAGE_JOBS = env_int("VECBOARD_OPEN_PAGE_JOBS", 500)
VECBOARD_OPEN_CORPORA = env_int("VECBOARD_OPEN_CORPORA", 1)
VECBOARD_CORPORA_PER_DAY = env_int("VECBOARD_CORPORA_PER_DAY", 10)
VECBOARD_WRITES_PER_MINUTE = env_int("VECBOARD_WRITES_PER_MINUTE", 600)

# Proxies: how many add to X-Forwarded-For, and their addresses; other X-Forwarded headers are ignored
VECBOARD_PROXIES = env_int("VECBOARD_PROXIES", 0)
VECBOARD_PROXY_ADDRESSES = env_networks("VECBOARD_PROXY_ADDRESSES", ["127.0.0.1", "::1"])

# Web processes, connections of one address to a process (0: no limit), and the slowest accepted visitor
WEB_CONCURRENCY = env_int("WEB_CONCURRENCY", 2, least=1)
VECBOARD_CONNECTIONS_PER_ADDRESS = env_int("VECBOARD_CONNECTIONS_PER_ADDRESS", 64)
VECBOARD_STALL_SECONDS = env_int("VECBOARD_STALL_SECONDS", 20, least=1)
VECBOARD_MIN_BYTES_PER_SECOND = env_int("VECBOARD_MIN_BYTES_PER_SECOND", 2_000, least=1)

# Access to /metrics and the details of /readyz: with this token; without one, from this machine only
METRICS_TOKEN = env_optional("METRICS_TOKEN")
SENTRY_DSN = env_url("SENTRY_DSN", WEB) or None
LOG_FORMAT = env_choice("LOG_FORMAT", "text", ("text", "json"))

# Counters of the limits above, shared by all web processes. Rendered files have a cache of their own, so that they
# can't displace counters.
CACHES = {
    "default": {
        "BACKEND": "benchmark.caches.PatientRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "vecboard-json",
        "OPTIONS": {
            "socket_connect_timeout": 1,
            "socket_timeout": 2,
            "serializer": "benchmark.caches.JsonSerializer",
        },
    }
    if REDIS_URL
    else {
        "BACKEND": "benchmark.caches.JsonFileCache",
        "LOCATION": str(VECBOARD_VAR / "cache"),
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
    "files": {
        "BACKEND": "benchmark.caches.JsonFileCache",
        "LOCATION": str(VECBOARD_VAR / "cache-files"),
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    },
    # Values valid for a second, separately in the memory of each web process.
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "process"},
}

DATABASE_URL = env_optional("DATABASE_URL")
DATABASES = {"default": from_url(DATABASE_URL) if DATABASE_URL else sqlite(VECBOARD_VAR / "vecboard.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    # Features, in the order of their links on every page. Of templates with the same name, the first one is used.
    "benchmark",
    "benchmark.leaderboard",
    "benchmark.compare",
    "benchmark.protocol",
    "benchmark.submissions",
    "benchmark.accounts",
    "benchmark.reports",
    "benchmark.api",
    "benchmark.operations",
    *EXTENSIONS,
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.mfa",
]
MIDDLEWARE = [
    "benchmark.operations.counting.ForwardedScheme",
    "benchmark.responses.PublicLinks",
    "benchmark.operations.logs.RequestLog",
    "benchmark.responses.CompressedPage",
    "django.middleware.security.SecurityMiddleware",
    "benchmark.responses.ContentSecurityPolicy",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "benchmark.api.api.JsonErrors",
    "benchmark.responses.Seen",
    "benchmark.operations.monitoring.Alive",
    "benchmark.operations.gate.Entrance",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "benchmark.accounts.views.TokenUser",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "benchmark.operations.gate.Gate",
]
ROOT_URLCONF = "benchmark.urls"
WSGI_APPLICATION = "benchmark.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "benchmark.urls.site",
            ],
            "builtins": ["benchmark.templatetags.figures"],
        },
    }
]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": file_storage(STORAGE_ROOT, VECBOARD_S3_BUCKET, VECBOARD_S3_ENDPOINT, VECBOARD_S3_REGION),
    "staticfiles": {
        "BACKEND": "benchmark.responses.Storage",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
WHITENOISE_USE_FINDERS = True  # a checkout serves static/ without a collect step
# The built documentation, served below /docs/ if it exists: images contain it, and `manage.py up` builds it
DOCS_ROOT = env_path("VECBOARD_DOCS", VECBOARD_VAR / "site")
HAS_DOCS = (DOCS_ROOT / "docs" / "index.html").is_file()
WHITENOISE_ROOT = DOCS_ROOT if HAS_DOCS else None
WHITENOISE_INDEX_FILE = True

# Uploads go through one handler that writes and hashes; nothing else accepts a file
FILE_UPLOAD_HANDLERS = ["benchmark.submissions.arriving.ReceivingHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 250  # also of URL parameters: a board may have 200 columns
DATA_UPLOAD_MAX_NUMBER_FILES = 20  # runs of one setting, for stability

# Accounts: e-mail and password, GitHub when its keys are set, second factors; API tokens are benchmark.accounts' own
VECBOARD_ANONYMOUS_UPLOADS = env_bool("VECBOARD_ANONYMOUS_UPLOADS", True)
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "submissions:mine"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*", "password2*"]
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_CONFIRM_EMAIL_ON_GET = False  # a mail scanner that follows links confirms nothing
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USERNAME_MIN_LENGTH = 3
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if env_bool("BEHIND_TLS", False) else "http"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Vecboard] "
ACCOUNT_ADAPTER = "benchmark.accounts.forms.AccountAdapter"
ACCOUNT_USERNAME_VALIDATORS = "benchmark.accounts.forms.USERNAME_VALIDATORS"
ACCOUNT_FORMS = {
    "login": "benchmark.accounts.forms.Login",
    "signup": "benchmark.accounts.forms.Signup",
    "add_email": "benchmark.accounts.forms.AddEmail",
    "change_password": "benchmark.accounts.forms.ChangePassword",
    "set_password": "benchmark.accounts.forms.SetPassword",
    "reset_password": "benchmark.accounts.forms.ResetPassword",
    "reset_password_from_key": "benchmark.accounts.forms.ResetPasswordKey",
    "reauthenticate": "benchmark.accounts.forms.Reauthenticate",
}
MFA_ADAPTER = "benchmark.accounts.forms.MfaAdapter"
MFA_FORMS = {
    "authenticate": "benchmark.accounts.forms.Authenticate",
    "reauthenticate": "benchmark.accounts.forms.ReauthenticateByCode",
    "activate_totp": "benchmark.accounts.forms.ActivateTotp",
}
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before a password, an address or a second factor changes
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Vecboard"
GITHUB_CLIENT_ID = env_optional("GITHUB_CLIENT_ID")
GITHUB_CLIENT_SECRET = env_optional("GITHUB_CLIENT_SECRET")
_GITHUB = {"client_id": GITHUB_CLIENT_ID, "secret": GITHUB_CLIENT_SECRET, "key": ""}
SOCIALACCOUNT_PROVIDERS = {
    "github": {"APPS": [_GITHUB] if GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET else [], "SCOPE": ["user:email"]}
}
SOCIALACCOUNT_LOGIN_ON_GET = False
SESSION_COOKIE_SECURE = env_bool("BEHIND_TLS", False)
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600

# Mail: to the console, or through an SMTP server, by jobs of the workers
EMAIL_HOST = env_str("EMAIL_HOST", "")
SENDS_MAIL = bool(EMAIL_HOST)  # without a server, addresses aren't confirmed, and pages promise no mail
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if SENDS_MAIL else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = SENDS_MAIL  # of a changed password, address or second factor
MFA_ALLOW_UNVERIFIED_EMAIL = not SENDS_MAIL
EMAIL_BACKEND = "benchmark.accounts.jobs.Outbox" if EMAIL_HOST else "django.core.mail.backends.console.EmailBackend"
EMAIL_PORT = env_int("EMAIL_PORT", 587, least=1)
EMAIL_HOST_USER = env_str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env_str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env_bool("EMAIL_USE_TLS", True)
EMAIL_TIMEOUT = 5
DEFAULT_FROM_EMAIL = env_str("MAIL_FROM", "vecboard@localhost")

# Hosts, TLS and cookies. All links begin with SITE_URL; without it, with the host that a request names.
SITE_URL, _site_host = env_site("SITE_URL")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"]) + ([_site_host] if SITE_URL else [])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", []) + ([SITE_URL] if SITE_URL else [])
BEHIND_TLS = env_bool("BEHIND_TLS", False)
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    SECURE_HSTS_SECONDS = 31_536_000
    # HSTS for other names of the domain, and preloading, are the operator's decision.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
CSRF_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "benchmark.urls.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

LOG_LEVEL = env_choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error", "critical"))
LOGGING = logging_config(LOG_FORMAT, LOG_LEVEL)
