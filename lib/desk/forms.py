"""The forms of the pages. They say what is missing; what may be stored is decided by `acts`."""

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts
from django.utils.http import url_has_allowed_host_and_scheme

from desk.models import Account, Answer, Comment, Correct, Question, Review
from desk.people import DEEDS
from desk.resolution import STATES

CONFIDENCE = {
    1: "1: a guess",
    2: "2: I lean to it",
    3: "3: fairly sure",
    4: "4: sure, I checked the main steps",
    5: "5: certain, I checked all of it",
}
MAIL = "For a forgotten password, and for a digest if you ask for one. Never shown."
SORTS = {  # what the form says, then the columns
    "votes": ("most votes", "-votes", "-score"),
    "state": ("resolution", "place", "-votes"),
    "newest": ("newest at the source", "-posted_at"),
    "oldest": ("oldest at the source", "posted_at"),
    "score": ("votes at the source", "-score"),
    "views": ("views at the source", "-views"),
    "category": ("category", "category", "-votes"),
    "site": ("site", "site", "-votes"),
}
SHOWN = {"review": "needs reviewers", **{state: state for state in STATES}}


class ListForm(forms.Form):
    """What the list of questions shows, in its address."""

    q = forms.CharField(required=False, max_length=300, label="Search")
    state = forms.ChoiceField(required=False, label="State")
    category = forms.ChoiceField(required=False, label="Category")
    site = forms.ChoiceField(required=False, label="Site")
    sort = forms.ChoiceField(required=False, label="Sort by")

    def __init__(self, data, sites: list[str], categories: list[str]):
        super().__init__(data)
        self.fields["state"].choices = [("", "any state"), *SHOWN.items()]
        self.fields["category"].choices = [("", "any category"), *((name, name) for name in categories)]
        self.fields["site"].choices = [("", "any site"), *((name, name) for name in sites)]
        best = [("", "best match")] if (data.get("q") or "").strip() else []
        self.fields["sort"].choices = [*best, *((name, words) for name, (words, *_) in SORTS.items())]


class CompareForm(forms.Form):
    """Which two answers stand next to each other."""

    one, other = forms.ChoiceField(label="Left"), forms.ChoiceField(label="Right")

    def __init__(self, data, answers: list[Answer]):
        super().__init__(data)
        for field in self.fields.values():
            field.choices = [(one.key, one.system.name) for one in answers]


def _area(rows: int, **attributes: str) -> forms.Textarea:
    return forms.Textarea(attrs=dict(rows=rows, **attributes))


class AnswerForm(forms.Form):
    organisation = forms.CharField(max_length=200, help_text="Who runs the system: a lab, a university, yourself.")
    system = forms.CharField(max_length=200, help_text="Its name and version, so that others can run the same.")
    base_model = forms.CharField(
        max_length=200, help_text="The model underneath, with its date or version. Empty where people wrote it."
    )
    people = forms.BooleanField(
        required=False, label="Written by people, without a model", help_text="Listed next to the models, as people."
    )
    prompt = forms.CharField(
        widget=_area(8), help_text="All that the model was given, word for word. Empty where people wrote it."
    )
    text = forms.CharField(
        widget=_area(16), label="Answer", help_text="Markdown, with formulas between dollar signs. No HTML."
    )

    def clean(self):
        told = super().clean()
        for name in ("base_model", "prompt"):
            if told.get("people") and self.has_error(name, "required"):
                del self.errors[name]
                told[name] = ""
        return told


class ReviewForm(forms.ModelForm):
    correct = forms.ChoiceField(choices=Correct.choices, widget=forms.RadioSelect, label="Is the answer correct?")
    confidence = forms.TypedChoiceField(
        choices=list(CONFIDENCE.items()), coerce=int, widget=forms.RadioSelect, label="How sure are you?"
    )

    class Meta:
        model = Review
        fields = ("correct", "confidence", "text", "conflict", "conflict_text")
        widgets = {"text": _area(10)}
        labels = {
            "text": "Why",
            "conflict": "I have a conflict of interest",
            "conflict_text": "Which one",
        }
        help_texts = {
            "text": "Name the step that holds or fails, and the sources you looked up. Markdown and formulas work.",
            "conflict": "You made the system, work with those who did, or wrote the answer. Such a review is shown, "
            "but does not count.",
        }


class CommentForm(forms.ModelForm):
    class Meta:
        model = Comment
        fields = ("text",)
        widgets = {"text": _area(4)}
        labels = {"text": "Your comment"}
        help_texts = {"text": "Markdown and formulas work."}


class AnswerEdit(forms.ModelForm):
    class Meta:
        model = Answer
        fields = ("text", "prompt")
        widgets = {"text": _area(16), "prompt": _area(8)}
        labels = {"text": "Answer"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["prompt"].required = not self.instance.system.people


class ReasonForm(forms.Form):
    reason = forms.CharField(widget=_area(3), max_length=2000, help_text="Shown in the history.")

    def __init__(self, *args, required: bool = True, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = required


class ReviewerForm(forms.Form):
    expertise = forms.CharField(
        max_length=300, label="Your fields", help_text="Separated by commas: lattices, order theory. Public."
    )
    text = forms.CharField(
        widget=_area(4), max_length=2000, label="How you know them", help_text="Studies, work, papers, or answers here."
    )


class ReportForm(forms.Form):
    page = forms.CharField(max_length=500, help_text="The part of its address behind the name of this site.")
    text = forms.CharField(widget=_area(4), max_length=2000, label="What is wrong with it")

    def clean_page(self) -> str:
        page = self.cleaned_data["page"]
        if not (page.startswith("/") and url_has_allowed_host_and_scheme(page, None)):
            raise forms.ValidationError("No page of this desk. Its address begins with one slash.")
        return page


class ProposalForm(forms.ModelForm):
    tags = forms.CharField(required=False, max_length=200, help_text="Separated by commas.")
    text = forms.CharField(
        widget=_area(3), max_length=2000, label="Where you looked", help_text="So that a moderator sees it is open."
    )

    class Meta:
        model = Question
        fields = ("title", "body", "category")
        widgets = {"body": _area(10)}
        labels = {"body": "The question"}
        help_texts = {"body": "With all that it takes to answer it. Markdown and formulas work. Public: CC BY-SA 4.0."}


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="For yourself: the program or machine that uses it.")


class DecisionForm(forms.Form):
    accept = forms.TypedChoiceField(
        choices=[("yes", "Accept"), ("no", "Decline")],
        coerce="yes".__eq__,
        widget=forms.RadioSelect,
        label="Decision",
        empty_value=None,
    )
    reason = forms.CharField(widget=_area(3), max_length=2000, help_text="Shown to the person who asked.")


class ModerationForm(ReasonForm):
    deed = forms.ChoiceField(choices=[(deed, says) for deed, (says, *_) in DEEDS.items()], label="Decision")
    field_order = ("deed", "reason")


class SignUpForm(forms.ModelForm):
    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=" ".join(password_validators_help_texts()),
    )
    password_again = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}), label="The password again"
    )

    class Meta:
        model = Account
        fields = ("username", "affiliation", "source_profile", "email")
        widgets = {"username": forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"})}
        help_texts = {
            "username": "Public: it stands next to what you write. Letters, digits and @ . + - _",
            "affiliation": "Where you work or study, if you like. Reviews of your own organisation's answers do not "
            "count.",
            "email": MAIL,
        }

    field_order = ("username", "password", "password_again", "email", "affiliation", "source_profile")

    def clean(self):
        told = super().clean()
        if told.get("password") and told.get("password_again") and told["password"] != told["password_again"]:
            self.add_error("password_again", "The two passwords differ.")
        return told


class ProfileForm(forms.ModelForm):
    orcid = forms.CharField(
        required=False, max_length=100, label="ORCID iD", help_text="As 0000-0002-1825-0097. Public, as you give it."
    )

    class Meta:
        model = Account
        fields = ("affiliation", "orcid", "expertise", "about", "source_profile", "email", "digest")
        widgets = {"about": _area(5)}
        help_texts = {
            "about": "Public.",
            "expertise": "What you know well, separated by commas. Public.",
            "email": MAIL,
        }
        labels = {"digest": "Mail me a digest of what is new"}

    def clean_orcid(self) -> str:
        return self.cleaned_data["orcid"].strip().removeprefix("https://orcid.org/").upper()

    def clean(self):
        told = super().clean()
        if told.get("digest") and not told.get("email"):
            self.add_error("email", "Needed for a digest.")
        return told


EDITS = {Answer: AnswerEdit, Review: ReviewForm, Comment: CommentForm}
