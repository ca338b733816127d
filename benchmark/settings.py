"""The site's settings, all from typed environment variables; the defaults need nothing but Python."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from benchmark.database import from_url, sqlite
from benchmark.env import env_bool, env_int, env_list, env_optional, env_path, env_secret, env_str

BASE_DIR = Path(__file__).resolve().parent.parent
VECBOARD_VAR = env_path("VECBOARD_VAR", BASE_DIR / "var")
VECBOARD_VAR.mkdir(parents=True, exist_ok=True)
STORAGE_ROOT = env_path("VECBOARD_STORAGE", VECBOARD_VAR / "storage")

DEBUG = env_bool("DEBUG", False)
SECRET_KEY = env_secret("SECRET_KEY", generated_in=VECBOARD_VAR / "secret-key")

# What is measured
VECBOARD_SUITE = env_str("VECBOARD_SUITE", "open-2026")

# How much one upload may cost; the form states these
VECBOARD_MAX_UPLOAD_BYTES = env_int("VECBOARD_MAX_UPLOAD_BYTES", 3_000_000_000, least=1)
VECBOARD_MAX_EXPANDED_BYTES = env_int("VECBOARD_MAX_EXPANDED_BYTES", 12_000_000_000, least=1)
VECBOARD_MAX_WORDS = env_int("VECBOARD_MAX_WORDS", 5_000_000, least=100)
VECBOARD_MAX_DIMENSIONS = env_int("VECBOARD_MAX_DIMENSIONS", 2_000, least=2)

# Where work is queued: Redis, or an embedded broker under VECBOARD_VAR
REDIS_URL = env_optional("REDIS_URL")

DATABASE_URL = env_optional("DATABASE_URL")
DATABASES = {"default": from_url(DATABASE_URL) if DATABASE_URL else sqlite(VECBOARD_VAR / "vecboard.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "benchmark",
    "benchmark.submissions",
    "benchmark.reports",
    "benchmark.leaderboard",
    "benchmark.api",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "benchmark.headers.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "benchmark.urls"
WSGI_APPLICATION = "benchmark.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "benchmark" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": ["django.template.context_processors.request", "benchmark.context.site"],
            "builtins": ["benchmark.templatetags.figures"],
        },
    }
]

STATIC_URL = "/static/"
STATIC_ROOT = env_path("VECBOARD_STATIC_ROOT", BASE_DIR / "staticfiles")
with suppress(OSError):  # a read-only image has collected its files already
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(STORAGE_ROOT)}},
    "staticfiles": {"BACKEND": "benchmark.static_files.Storage"},
}
WHITENOISE_USE_FINDERS = True  # a checkout serves static/ as it stands, without a collect step

# Uploads go through one handler that writes and hashes; nothing else accepts a file
FILE_UPLOAD_HANDLERS = ["benchmark.submissions.receiving.ReceivingHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 40
DATA_UPLOAD_MAX_NUMBER_FILES = 1

# Who may speak to the site, and how
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", [])
BEHIND_TLS = env_bool("BEHIND_TLS", False)
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
    SECURE_HSTS_SECONDS = 31_536_000
CSRF_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "benchmark.pages.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env_str("LOG_LEVEL", "INFO").upper()},
}
