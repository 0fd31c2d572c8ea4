"""What a value looks like: the pieces that the patterns of all languages are written with. Data."""

from __future__ import annotations

import re

# Words that end a value, in the five languages.
_STOP = (
    "and|but|or|so|because|since|which|who|that|this|if|when|while|although|though|with|without|for|at|in|on|by|from|to|"
    "as|is|are|was|were|be|been|has|have|had|not|no|my|your|our|his|her|their|its|i|im|we|you|he|she|it|they|the|a|an|"
    "now|then|there|here|please|pls|thanks|btw|too|also|just|only|any|some|anymore|yesterday|today|"
    "und|aber|oder|weil|ich|wir|sie|der|die|das|den|dem|ein|eine|mein|meine|nicht|mit|bei|für|auf|ist|sind|seit|jetzt|"
    "et|mais|ou|je|nous|vous|il|elle|le|les|un|une|mon|ma|mes|pas|avec|chez|dans|pour|est|sont|depuis|"
    "y|pero|o|yo|nosotros|el|los|las|una|mi|mis|con|para|es|son|desde|por|pues|ihnen|uns|euch|"
    "e|mas|ou|eu|nós|os|um|uma|meu|minha|com|mesmo"
)
STOP = rf"(?!(?i:{_STOP})\b)"
_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢİĪĮĶĹĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽ"
_TAIL = r"[\w'’&+/-]*(?:\.(?=\w)[\w'’&+/-]+)*"
# One word with a capital, and several: Nordhafen GmbH, Bank of Ireland, Kleeberg & Söhne.
CAP = rf"{STOP}[{_UPPER}]{_TAIL}"
_LINK = r"(?:&|of|de|da|do|dos|del|der|van|von|la|le|du|di)"
PROPER = rf"(?>{CAP}(?:[ ](?:{_LINK}[ ])?{CAP}){{0,3}})"
INITIAL = rf"[{_UPPER}]\."
PERSON = rf"(?>(?:{INITIAL}[ ])*{CAP}(?:(?:[ ](?:{INITIAL}|{_LINK}))*[ ]{CAP}){{0,2}})"
# Words of either case up to one that ends them.
WORDS = rf"{STOP}\w[\w'’+-]*(?:\s{STOP}\w[\w'’+-]*){{0,2}}"
LOW_NAME = rf"{STOP}[^\W\d_][\w'’-]*(?:\s{STOP}[^\W\d_]{{2,}}(?=\s*(?:$|[.,!?;])))?"
PLACE = rf"(?:{PROPER}(?:,\s{PROPER})?|{STOP}[a-zà-ÿ]{{4,}}(?=\s*(?:$|[.,!?;)])|\s(?i:and|but|so|now|y|e|et|und|pero|mas|since|these)\b))"
_MODEL = r"(?:[A-Z0-9][\w.+-]*[\w+]|[A-Z0-9])"
PRODUCT = rf"(?>(?:(?:19|20)\d\d[ ])?{STOP}(?:[{_UPPER}]{_TAIL}|[a-z][A-Z]\w+)(?:[ ]{STOP}{_MODEL}){{0,4}})"
# Names that people write without capitals.
KNOWN_PRODUCTS = (
    "google workspace|google drive|google docs|gmail|zendesk|slack|notion|jira|confluence|linear|trello|asana|hubspot|"
    "salesforce|pipedrive|intercom|freshdesk|shopify|woocommerce|wordpress|github|gitlab|bitbucket|figma|miro|zoom|"
    "microsoft teams|ms teams|office 365|outlook|dropbox|airtable|obsidian|evernote|vscode|vs code|pycharm|vim|neovim|"
    "emacs|postgres|postgresql|mysql|mongodb|redis|duckdb|sqlite|docker|kubernetes|terraform|ubuntu|debian|fedora|macos|"
    "windows 1[01]|android|iphone|ipad|macbook|chatgpt|claude|gemini|copilot|cursor|stripe|paypal|quickbooks|xero|sap|"
    "datev|excel|monday\\.com|clickup|todoist|odoo|personio"
)
LOW_PRODUCT = rf"(?i:{KNOWN_PRODUCTS})(?!\w)"
ANY_PRODUCT = rf"(?:{PRODUCT}|{LOW_PRODUCT})"
TIERS = (
    "Pro|Starter|Business|Premium|Enterprise|Basic|Free|Plus|Teams?|Standard|Essentials?|Growth|Scale|Ultimate|Advanced|"
    "Professional|Family|Personal|Individual|Student|Education|Gold|Silver|Bronze|Platinum|Diamond|Max|Lite|Hobby|"
    "Developer|Unlimited|Trial|Core|Solo|Light|Grátis|Confort|Entreprise|Essentiel|Empresa|Básico|Equipa|Profesional|Inicial|Basis|"
    "Familie|Gratis|Gratuit"
)
_TIER_LOW = "pro|starter|premium|basic|enterprise|free|plus"
TIER = rf"(?:(?:{TIERS})\b(?:\s(?:Plus|Pro|Max|Lite|Annual|Yearly|Monthly|\d+)\b)?|(?i:{TIERS})\b(?=\s*(?:$|[.,!?;)]))|(?:{_TIER_LOW})\b)"
# Capitals or one word of any kind, before the word for a plan.
TIER_NAME = rf"{STOP}(?!(?i:same|new|old|current|wrong|right|other|different|higher|lower|cheaper|bigger|paid|annual|monthly|yearly|next|best|first|second|payment|data|phone|neuen?|alten?|mismo|nouveau|novo|nuevo)\b)(?:{PROPER}|[\w+-]+)"
PLAN_WORD = r"(?i:plan|tier|subscription|membership|package|licen[cs]e|edition)"
CODE = r"#?(?P<reference>(?!\d{4}-\d\d-\d\d)(?=[A-Z0-9/_-]*\d)(?=[A-Z0-9/_-]{4})[A-Z0-9](?:[A-Z0-9/_-]*[A-Z0-9])?)\b(?![.,]?\d)"
NOT_CODE = CODE.replace("<reference>", "<not_reference>")
REST = r"[^,.;!?()\n\ue000]+"

ROLE_HEADS = (
    "engineer|developer|programmer|manager|nurse|teacher|professor|lecturer|student|intern|architect|designer|analyst|"
    "scientist|researcher|consultant|director|lead|leader|head|owner|founder|co-founder|cofounder|ceo|cto|cfo|coo|cio|"
    "ciso|president|chair|chairman|secretary|treasurer|accountant|bookkeeper|controller|auditor|lawyer|attorney|paralegal|"
    "solicitor|judge|doctor|physician|surgeon|dentist|vet|veterinarian|pharmacist|therapist|psychologist|midwife|"
    "paramedic|carpenter|plumber|electrician|mechanic|welder|builder|baker|chef|cook|waiter|waitress|bartender|butcher|"
    "farmer|gardener|florist|beekeeper|photographer|journalist|writer|author|editor|translator|interpreter|copywriter|"
    "musician|artist|actor|actress|producer|buyer|seller|salesperson|salesman|representative|rep|agent|broker|realtor|"
    "assistant|receptionist|clerk|administrator|admin|sysadmin|operator|technician|tester|specialist|coordinator|officer|"
    "planner|supervisor|recruiter|trainer|coach|tutor|librarian|driver|pilot|captain|soldier|firefighter|policeman|"
    "freelancer|contractor|entrepreneur|biologist|chemist|physicist|mathematician|statistician|economist|historian|"
    "geologist|linguist|hydrologist|optician|hairdresser|barber|tailor|retailer|wholesaler|postdoc|trainee|apprentice|"
    "stylist|influencer|investor|banker|trader|underwriter|actuary|surveyor|inspector|guard|courier|logistician|"
    "principal|dean|priest|pastor|volunteer|caretaker|janitor|cleaner|nanny|qa|sre|devops|dpo|hr"
)
_ROLE_WORD = r"(?!(?i:fan|customer|user|bit|lot|little|long|big|huge|new|not|very|the|a|an|and|or|of|to|i|we|my|your|no|fast|hard|much|well|long|soon|quickly|expected|usual|intended|described|before|such|if|is|am|was|at|in|for|with|from|who|that|but|on|as|working|by|so|because)\b)[\w/-]+"
ROLE = rf"(?i:(?:{_ROLE_WORD}\s){{0,3}}(?:{ROLE_HEADS})\b(?:\s(?:of|for|in)\s(?!(?:a|an|the|our|my|this|your)\b)[a-z]+(?:\s(?:and\s)?(?:operations|support|success|engineering|sales|care|relations))?)?)"
FREE_ROLE = rf"{_ROLE_WORD}(?:\s{STOP}[\w/-]+){{0,3}}"

# What goes wrong.
TROUBLE = (
    r"(?i:\b(?:fail|crash|freez|hang|stuck|slow|time?s?\s?out|timing\s?out|broke|break|stop|los[ei]|log(?:s|ged)?\s\w+\sout|"
    r"reboot|restart|blank|empty|disconnect|drop|wrong|error|not\b|never|nothing|missing|duplicat|twice|"
    r"disappear|vanish|black|spin|reset|reject|declin|bounc|ads\b|ignor|corrupt|leak|overheat|flicker|too\s|"
    r"sign(?:s|ed)?\s\w+\sout|kick|\blate\b|delay|double|garbl|unreadable|weird|annoy|pixelat|mute|quit|forget|unable|cannot|refus|complain|loud|dies|dead|down\b|beep|squeak|stall|"
    r"absturz|stürz|ab\b|aus\b|kaputt|leer|falsch|nicht|kein|fehl|hängt|langsam|schwarz|doppelt|verlier|"
    r"plant|noir|vide|erreur|échou|marche\spas|pas\b|lent|coup|perd|ferme|redémarr|déconnect|bloqu|"
    r"fall|cierra|vací|lent|cae|pierde|reinici|cuelga|congel|desconect|sale\s|"
    r"trav|vazio|cai\b|fech|perde|sai\b|desliga|não|\bsome n|\bsome d)|n[’']?t\b)"
)
NOT_A_NAME = (
    r"(?!(?i:sorry|sure|ready|not|ok|okay|fine|good|glad|happy|afraid|german|french|spanish|english|american|british|italian|"
    r"dutch|portuguese|brazilian|chinese|japanese|indian|polish|swedish|european|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|hi|hello|hey|"
    r"thanks|thank|please|yes|no|well|great|mac|linux|windows|android|christian|catholic|muslim|jewish|vegan|pro|premium|"
    r"basic|starter|business|enterprise|ceo|cto|cfo|coo|head|hr|qa|it|ai|error|problem|issue|same|everything|nothing|"
    r"urgent|important|ridiculous|sparta|groot|done|fed|vegetarian|vater|mutter|schluss|regen|programm|schade|cliente|vegetariano|vegetariana|vegano|vegana|usuario|novato|untitled|document|bankrupt|closed|open|kunde|kundin|kunden|nacht|ihnen|versehen|hause|casa|excel|rien|working|writing|calling|home|day|dear|mr|mrs|ms|dr|once|try|click|see|look|check|and|then|me)\b)"
)
# Where a clause about trouble may begin, and what it may hold.
CLAUSE = r"^\W*(?:(?i:and|but|so|also|plus|und|aber|et|mais|y|pero|e|mas),?\s)?|[,;:.!?(–—]\s(?:(?i:but|and|so|anyway|also|plus|guess what),?\s)?|\s(?i:but|because|since)\s|\s-\s|(?<=\w)\s(?i:and)\s(?=(?i:the|my|our|it|every|each|whenever)\b)"
INSIDE = r"(?:(?!\s(?i:but|because|since|so)\s|\s(?i:and)\s(?i:the|my|our|it|every|each|i|we|whenever)\b)[^,;.!?()\n\ue000]|\.(?=\w))"
MACROS = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, str)}


def pattern(written: str) -> re.Pattern[str]:
    """A pattern with <<NAME>> for a piece of this page."""
    return re.compile(re.sub("<<([A-Z_]+)>>", lambda m: MACROS[m[1]], written))
