"""Forms of accounts and tokens: allauth's own, in this site's words."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as account
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp import forms as totp
from django import forms
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import MinimumLengthValidator, get_default_password_validators
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse

from benchmark.accounts.models import Account, ApiToken, Mail
from benchmark.forms import TidyForm
from benchmark.operations.counting import client_address, network_of
from tasks.text import is_blank

LABELS = {
    "login": "E-mail address",
    "email": "E-mail address",
    "username": "Username",
    "password": "Password",
    "oldpassword": "Current password",
    "code": "Code",
}
HELP = {"username": "Letters, digits and @ . + - _, no spaces. Shown with your entries."}
MISSING = {
    "login": "Enter your e-mail address.",
    "email": "Enter your e-mail address.",
    "username": "Choose a username.",
    "password": "Enter your password.",
    "oldpassword": "Enter your current password.",
    "password1": "Choose a password.",
    "password2": "Enter the password again.",
    "code": "Enter the code.",
}
NO_ADDRESS = "This is not a valid e-mail address; it needs a name, an @ and a domain, as in ada@example.org."
USERNAME_RULE = "A username may contain letters, digits, @ . + - _; no spaces."


def refuse_blank(name: str) -> None:
    """Refuse names of invisible letters, such as the Hangul filler."""
    if is_blank(name):
        raise ValidationError(USERNAME_RULE)


USERNAME_VALIDATORS = [UnicodeUsernameValidator(message=USERNAME_RULE), refuse_blank]


def password_rules() -> str:
    """The site's rules for passwords, in a sentence."""
    rules = get_default_password_validators()
    lengths = [rule.min_length for rule in rules if isinstance(rule, MinimumLengthValidator)]
    least = f"At least {max(lengths)} characters; not" if lengths else "Not"
    return f"{least} a common password, not digits alone, not like your name or address."


class Worded:
    """A form of allauth with this site's labels, help and messages, and without placeholders."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = LABELS.get(name, field.label)
            field.help_text = HELP.get(name, field.help_text)
            if name in MISSING:
                field.error_messages["required"] = MISSING[name]
            if name in ("login", "email"):
                field.error_messages["invalid"] = NO_ADDRESS
        if "username" in self.fields:
            self.fields["username"].error_messages["min_length"] = "Enter at least %(limit_value)d characters."
        if "password1" in self.fields:
            self.fields["password1"].label = "New password" if "oldpassword" in self.fields else "Password"
            self.fields["password1"].help_text = password_rules()
        if "password2" in self.fields:
            self.fields["password2"].label = f"{self.fields['password1'].label} (again)"


def _worded(form: type) -> type:
    return type(form.__name__, (Worded, form), {})


Login = _worded(account.LoginForm)
AddEmail = _worded(account.AddEmailForm)
ChangePassword = _worded(account.ChangePasswordForm)
SetPassword = _worded(account.SetPasswordForm)
ResetPassword = _worded(account.ResetPasswordForm)
ResetPasswordKey = _worded(account.ResetPasswordKeyForm)
Reauthenticate = _worded(account.ReauthenticateForm)
Authenticate = _worded(mfa.AuthenticateForm)
ReauthenticateByCode = _worded(mfa.ReauthenticateForm)
ActivateTotp = _worded(totp.ActivateTOTPForm)


class Signup(Worded, account.SignupForm):
    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Hash the password even for a known address, so that the answer takes as long as for a new one."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        answer: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return answer


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": "This account is closed.",
        "cannot_remove_primary_email": "This is your main address; make another address the main one first.",
        "duplicate_email": "You have already added this address.",
        "email_password_mismatch": "The address or the password is wrong. Check both, or reset your password.",
        "email_taken": "An account with this address already exists; sign in, or reset your password.",
        "enter_current_password": "This is not your current password.",
        "incorrect_password": "This is not your password.",
        "invalid_or_expired_key": "This link is no longer valid; request a new one.",
        "invalid_password_reset": "This link is no longer valid; request a new one.",
        "max_email_addresses": "An account can have at most %d addresses; remove one first.",
        "too_many_login_attempts": "Too many failed attempts. Try again in a few minutes, or reset your password.",
        "username_taken": "This username is taken; choose another one.",
        "username_blacklisted": "This username cannot be used; choose another one.",
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """The key for limits on failed sign-ins: the visitor's address, even behind proxies, or IPv6 network."""
        return network_of(client_address(request))

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Queue a message for unknown addresses as for known ones, but send it to nobody.

        Otherwise the response time would reveal accounts, as it does with ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS=False.
        """
        message: EmailMessage = super().render_mail(template_prefix, email, context, headers)
        if template_prefix == "account/email/unknown_account":
            message.to = [Mail.NOBODY]
        return message


class MfaAdapter(DefaultMFAAdapter):
    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code is wrong. App codes are valid for half a minute; a recovery code works once.",
        "unverified_email": "Confirm your e-mail address before setting up a second factor.",
        "add_email_blocked": "You cannot add an address to an account with a second factor.",
    }


class MailForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Account
        fields = ("mail_when_finished",)


class TokenForm(TidyForm, forms.ModelForm):  # type: ignore[type-arg]
    scope = forms.ChoiceField(
        choices=ApiToken.Scope.choices,
        widget=forms.RadioSelect,
        label="It may",
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), "Choose what the token may do: read, or also write."
        ),
    )

    class Meta:
        model = ApiToken
        fields = ("name", "scope")
        help_texts = {"name": "What you use it for, so that you know which one to revoke."}  # noqa: RUF012
        error_messages = {  # noqa: RUF012
            "name": {
                "required": "The name is missing; enter what the token is for.",
                "max_length": "Enter a name of at most 60 characters.",
            }
        }
