"""What a person says about an account."""

from __future__ import annotations

from django import forms

from benchmark.accounts.models import Account, ApiToken
from benchmark.inputs import TidyForm


class MailForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Account
        fields = ("mail_when_finished",)


class TokenForm(TidyForm, forms.ModelForm):  # type: ignore[type-arg]
    scope = forms.ChoiceField(choices=ApiToken.Scope.choices, widget=forms.RadioSelect, label="It may")

    class Meta:
        model = ApiToken
        fields = ("name", "scope")
        help_texts = {"name": "What you use it for, so that you know which one to revoke."}  # noqa: RUF012
        error_messages = {"name": {"required": "The name is missing; enter what the token is for."}}  # noqa: RUF012
