"""How people say things about themselves in German. Data: see english.py."""

from __future__ import annotations

_ICH = r"(?i:\b(?:ich|wir)\b)"
_BIN = r"(?i:\b(?:ich|wir)\s(?:bin|sind)\b|^bin\b|(?<=[,.] )bin\b|\b(?:bin|sind)\s(?:ich|wir)\b)"
_HABE = r"(?i:\b(?:ich|wir)\s(?:habe?n?|hab)\b|^hab(?:e|en)?\b|\b(?:habe?n?|hab)\s(?:ich|wir)\b)"
_MEIN = r"(?i:\b(?:mein|unser)(?:e|er|es|em|en)?\b)"
_ADV = r"(?:\s(?i:aktuell|derzeit|jetzt|noch|immer|immer noch|nur|auch|momentan|gerade|zurzeit|seit \w+|inzwischen|mittlerweile|schon|eigentlich|hier|ja|übrigens|hauptsächlich|beide|alle|nun))*"
_PLAN = r"(?i:[ -]?(?:tarif|plan|abo|paket|abonnement|mitgliedschaft|lizenz|version))"
_ART = r"(?:(?i:der|die|das|dem|den|ein|eine|einen|einem|einer|unser|unsere|unseren|mein|meine|meinen|eurem|euren|im|beim|vom|zum)\s)?"

# What a speaker calls himself, where the patterns of OWN_FORMS begin.
OWN = r"(?i)\b(?:ich|wir|mein|unser|bin|hab)"
OWN_FORMS = (_ICH, _BIN, _HABE, _MEIN)
# A text in the language has one of these.
WORDS = "ein eine einen mit auf zu ich wir mein meine meinem unser unsere unseren der die das und ist bitte nicht bin habe hab bei im den jedes immer ständig bestellung rechnung kundennummer bestellnummer ticketnummer auftrag"
HYPOTHETICAL = r"(?i)\b(?:wenn|falls|angenommen|stell dir vor|würde|wäre|hätte|könnte|vielleicht|überlege|überlegen|möchte|will|wollen|vorhaben|wünschte|ob|sobald|demnächst|werde|werden)\b"
# Anywhere before a statement in its sentence, and in its message.
SUPPOSING = r"(?i)\b(?:laut|angenommen|stell dir vor|stellen sie sich vor|mal angenommen|angeblich|man sagt(?:e)?(?: mir)?|mir wurde gesagt|nehmen wir an)\b"
OTHERS_WORDS = r"(?im)^\W*(?:bitte\W+)?(?:schreib\w*|übersetz\w*|formulier\w*|korrigier\w*|verbesser\w*|fass\w*)\b[^:\n]{0,80}:|\b(?:rollenspiel|testdaten|beispieldaten|in (?:meinem|dem|diesem) (?:roman|buch|film|spiel)|hier ist (?:die|eine) (?:mail|e-mail|nachricht))\b"
REPORTED = (
    r"(?i)(?:\b(?:sagt|sagte|schrieb|schreibt|meinte|meint|behauptet|erzählte|heißt es)\b[\s,:„]*$|\bübersetz\w*\b)"
)
THIRD_PERSON = r"(?i)\b(?:er|sein|seine|ihr|ihre|ihren|mein(?:e|em|er)? (?:kollegen?|kollegin|chef|chefin|bruder|schwester|mutter|vater|frau|mann|sohn|tochter|freundin|freund|partner|partnerin|nachbarn?|oma|opa|kunde|kundin|tante|onkel)|(?:ein|eine|der|die) (?:kunde|kundin|freund|freundin|bekannter))\b(?!\s(?:und|nutzen)\b)"
INTERROGATIVE = r"(?i)^\W*(?:und |also |hallo,? )*(?:bin|sind|ist|war|hab|habe|haben|kann|können|wird|was|wer|wo|wann|wie|warum|welche[rsn]?|läuft|gibt|geht|weißt|wisst)\b"
BREAK = r"(?i)[,;:()–—]\s|\s-\s|\s(?:aber|sondern|doch|deshalb|weil)\s"
NOBODY = r"(?i)^\W*(?:nichts|niemand|kein\w*)\b|\b(?:läuft|funktioniert) (?:gut|super|wieder|einwandfrei)\b"

PATTERNS = {
    "name": [
        r"(?i:\bmein name (?:ist|lautet)|\bich (?:heiße|heisse)|\bheiße ich|\bnennt? mich(?: einfach| bitte)?|\bhier (?:ist|schreibt|spricht)|\bunter dem namen)\s(?P<name><<NOT_A_NAME>>(?!(?i:nicht)\b)<<PERSON>>)(?:,?\s(?i:nicht)\s(?P<not_name><<PERSON>>))?",
        r"(?i:\bmein name ist nicht|\bich hei(?:ß|ss)e nicht)\s(?P<not_name><<PERSON>>)(?:,?\s(?i:sondern)\s(?P<name><<PERSON>>))?",
        r"(?i:\bich bin (?:der|die))\s(?P<name><<NOT_A_NAME>><<CAP>>)\s(?i:von|aus|vom)\s",
        r"(?i:\bich bin (?:der|die))\s(?P<name>[a-zäöü]{3,})(?=\s(?i:und|von|aus)\b|[,.!]|$)",
        r"(?i:\bich bin(?: der| die)?)\s(?P<name><<NOT_A_NAME>><<CAP>>\s<<CAP>>)(?=\s*(?:$|[,.!])|\s(?i:und|von|aus)\b)",
        r"(?:^|[,.!]\s)(?P<name><<NOT_A_NAME>><<CAP>>\s<<CAP>>)\s(?i:hier|nochmal)\b",
        r"(?i:\b(?:es heißt|ich heiße|richtig ist))\s(?P<name><<PERSON>>),?\s(?i:nicht)\s(?P<not_name><<PERSON>>)",
        r"(?:^|\s)(?P<name><<CAP>>),\s(?i:nicht)\s(?P<not_name><<CAP>>)(?=[.,!]|$)",
    ],
    "company": [
        rf"(?:{_ICH}|\b(?i:und|hier|dort)){_ADV}\s?(?i:arbeite|arbeiten|jobbe)(?:\s(?i:ich|wir))?{_ADV}(?:\s(?i:als)\s(?P<role>[\w-]+))?{_ADV}\s(?i:bei der|bei|beim|für die|für|in der)\s(?:(?i:der|dem)\s)?(?P<company><<NOT_A_NAME>><<PROPER>>)(?:\s(?i:als)\s(?P<role2>[\w-]+))?",
        rf"{_MEIN}\s(?i:firma|unternehmen|arbeitgeber|startup|betrieb|agentur|verein)(?:\s(?i:ist(?: die)?|heißt|nennt sich)|,|:)?\s(?P<company><<NOT_A_NAME>><<PROPER>>)",
        r"(?i:\bwir (?:bei|von|hier bei)(?: der)?)\s(?P<company><<PROPER>>)",
        rf"{_BIN}{_ADV}\s(?i:(?:als \w+ )?(?:angestellt|beschäftigt|tätig)\s)?(?i:bei(?: der| dem)?)\s(?P<company><<PROPER>>)(?:\s(?i:angestellt|beschäftigt|tätig))?",
        r"(?i:\b(?:ich bin|als|ich leite))\s(?:(?i:der|die|das|den|ein|eine|einen)\s)?(?:[\w-]+\s){1,3}?(?i:bei der|bei|beim|der firma|von der|von)\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:ich )?(?:hier )?(?:von|aus) der firma|\bder firma)\s(?P<company><<PROPER>>)",
        rf"{_ICH}\s(?i:arbeite|arbeiten|bin|sind)\s(?i:nicht mehr|nicht|nie)\s(?i:bei(?: der)?|für)\s(?P<not_company><<PROPER>>)",
        rf"{_ICH}\s(?i:habe?n?)\s(?P<not_company><<PROPER>>)\s(?i:verlassen)",
        r"(?i:\bjetzt (?:bin ich |arbeite ich )?(?:bei|für)(?: der)?)\s(?P<company><<PROPER>>)",
    ],
    "role": [
        r"(?i:\bich bin|^bin)(?:\s(?i:von beruf|gelernter?|selbstständiger?|freiberufliche[rn]?|übrigens|selbst|hier|der|die|ein|eine|nur|jetzt|noch))*\s(?P<role>(?:[\w-]*(?i:leiter|leiterin|ingenieur|ingenieurin|entwickler|entwicklerin|lehrer|lehrerin|arzt|ärztin|pfleger|pflegerin|schwester|berater|beraterin|student|studentin|anwalt|anwältin|architekt|architektin|techniker|technikerin|meister|meisterin|händler|händlerin|köchin|koch|bäcker|bäckerin|tischler|tischlerin|schreiner|schreinerin|elektriker|elektrikerin|gärtner|gärtnerin|fotografin|fotograf|journalist|journalistin|übersetzer|übersetzerin|buchhalter|buchhalterin|kauffrau|kaufmann|verwalter|verwalterin|manager|managerin|admin|administrator|administratorin|designer|designerin|therapeut|therapeutin|psychologe|psychologin|professorin|professor|forscher|forscherin|apotheker|apothekerin|hebamme|erzieher|erzieherin|rentner|rentnerin|azubi|praktikant|praktikantin|geschäftsführer|geschäftsführerin|inhaber|inhaberin|chef|chefin|assistent|assistentin|polizist|polizistin|fahrer|fahrerin|sekretär|sekretärin|referent|referentin|verkäufer|verkäuferin|maler|malerin|autorin|autor|redakteur|redakteurin|analyst|analystin|tierarzt|tierärztin|steuerberaterin|physiotherapeutin|physiotherapeut|informatiker|informatikerin|programmierer|programmiererin|notar|notarin|richter|richterin|winzer|winzerin|landwirt|landwirtin|friseur|friseurin|kellner|kellnerin|musiker|musikerin|optiker|optikerin|zahnarzt|zahnärztin|logopädin|imker|imkerin|freiberufler|freiberuflerin|selbstständige|bibliothekar|bibliothekarin|mechaniker|mechanikerin|mechatroniker|sachbearbeiter|sachbearbeiterin|einkäufer|einkäuferin))\b)(?:\s(?i:bei|beim|der|in der|von)\s(?:(?i:der|firma)\s)*(?P<company><<PROPER>>))?",
        r"(?i:\bich arbeite|\barbeite ich|\bich bin)(?:\s\w+){0,2}?\s(?i:als)\s(?:(?i:ein|eine)\s)?(?P<role>(?=[A-ZÄÖÜ])[\w-]+)",
        r"(?:^|[.,]\s)(?i:als)\s(?P<role>(?=[A-ZÄÖÜ])[\w-]+(?:in|er|or|ist|eur|mann|frau|arzt|koch|ent|ant))(?:\s(?i:bei|der)\s(?P<company><<PROPER>>))?\s(?i:brauche|muss|habe|bin|nutze|will|möchte|kann|arbeite|interessiere|sehe)",
        rf"{_MEIN}\s(?i:beruf|job|position|rolle)\s(?i:ist)\s(?P<role>[\w-]+(?:\s[\w-]+)?)",
        r"(?i:\bich leite)\s(?i:die|den|das)\s(?P<role>(?=[A-ZÄÖÜ])[\w-]+)(?:\s(?i:bei|der)\s(?:(?i:der)\s)?(?P<company><<PROPER>>))?",
        r"(?i:\bich bin (?:kein|keine|nicht mehr|nicht))\s(?P<not_role>(?=[A-ZÄÖÜ])[\w-]+)(?:,?\s(?i:sondern)\s(?P<role>(?=[A-ZÄÖÜ])[\w-]+))?",
    ],
    "location": [
        rf"(?:{_ICH}|\b(?i:und|jetzt|nun))?{_ADV}\s?(?i:\b(?:wohne|wohnen|lebe|leben|wohn))(?:\s(?i:ich|wir))?{_ADV}\s(?i:in|bei|nahe|nähe)\s(?:(?i:der nähe von|einem dorf bei)\s)?(?P<location>(?!(?i:einer?|einem|der|dem|meiner)\b)<<PLACE>>)",
        rf"(?:{_ICH}|\b(?i:und)){_ADV}\s?(?i:(?:bin|sind|habe|haben)\s)?(?:(?i:von|aus)\s(?P<not_location><<PROPER>>)\s)(?i:nach)\s(?P<location><<PROPER>>)\s(?:\w+\s)?(?i:gezogen|umgezogen|gewechselt|verlegt)",
        rf"(?:{_ICH}|{_MEIN}\s\w+)(?:\s\w+){{0,4}}?\s(?i:nach)\s(?P<location><<PROPER>>)\s(?i:gezogen|umgezogen)",
        rf"{_MEIN}\s(?i:büro|sitz|firma|firmensitz|laden|geschäft|zentrale|team|werkstatt|praxis|hauptsitz|wohnung|haus)\s(?i:ist|liegt|sitzt|befindet sich)\s(?:(?i:jetzt|in|bei)\s)+(?P<location><<PROPER>>)",
        rf"{_ICH}\s(?i:sitzen|sitze)\s(?i:in)\s(?P<location><<PROPER>>)",
        rf"{_BIN}\s(?i:in)\s(?P<location><<PROPER>>)\s(?i:ansässig|zuhause|zu hause|daheim|stationiert)",
        rf"{_ICH}\s(?i:wohne|wohnen|lebe|leben)\s(?i:nicht mehr|nicht)\s(?i:in)\s(?P<not_location><<PROPER>>)(?:,?\s(?i:sondern)\s(?i:in)\s(?P<location><<PROPER>>))?",
        rf"{_ICH}\s(?i:komme)\s(?i:aus)\s(?P<location><<NOT_A_NAME>><<PROPER>>)",
    ],
    "plan": [
        rf"(?:{_BIN}|{_HABE}|(?i:\b(?:ich|wir)\s(?:nutzen?|zahlen?|bezahlen?|buchten?|nehmen?)\b)){_ADV}(?:\s(?i:im|auf|in|beim|bei|mit|für))?\s{_ART}(?P<plan><<PROPER>>|<<TIER>>|[\w]+(?=-))(?:{_PLAN})(?!\s(?i:nicht))",
        rf"(?:{_BIN}|{_HABE}){_ADV}(?:\s(?i:nur|im|auf|bei))*\s(?:(?i:dem)\s)?(?P<plan>(?-i:<<TIER>>))(?=\s*(?:$|[.,!?])|\s(?i:und|aber)\b)",
        rf"{_MEIN}\s(?i:tarif|plan|abo|paket)\s(?i:ist|heißt)\s(?:(?i:der|das)\s)?(?P<plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\bvon)\s(?P<not_plan><<TIER>>)(?:{_PLAN})?\s(?i:auf|zu|in|nach)\s(?:(?i:den|das)\s)?(?P<plan><<TIER>>)(?:{_PLAN})?\s(?i:gewechselt|umgestiegen|hochgestuft|heruntergestuft|upgegradet|aufgestiegen|runtergestuft|gegangen)",
        rf"(?i:\bauf)\s(?:(?i:den|das)\s)?(?P<plan><<TIER>>)(?:{_PLAN})?\s(?i:gewechselt|umgestiegen|hochgestuft|upgegradet)",
        rf"(?:{_BIN}|{_HABE}){_ADV}\s(?i:nicht mehr|nicht|kein|keinen|nie)\s(?:(?i:im|auf|in|dem|den|mehr)\s)*(?P<not_plan><<TIER>>)(?:{_PLAN})?",
        rf"(?i:\b(?:gekündigt|kündigen|storniert)\b)?{_MEIN}\s(?P<not_plan><<TIER>>)(?:{_PLAN})\s(?:\w+\s){{0,2}}?(?i:gekündigt)",
    ],
    "product": [
        rf"(?:{_ICH}|(?i:\b(?:und|die|team)\b|^)|<<PROPER>>){_ADV}\s?(?i:nutzen?|benutzen?|verwenden?|arbeiten? mit|setzen? auf|fahren?)(?:\s(?i:ich|wir))?{_ADV}(?:\s(?i:für \w+|seit \w+|hauptsächlich|überall|alle))*\s(?P<product><<ANY_PRODUCT>>)(?:{_PLAN}\b)?(?!\s(?i:nicht))(?:\s(?i:und)\s(?P<product2><<ANY_PRODUCT>>))?",
        rf"(?:{_HABE}|{_ICH}\s(?i:nutzen?|benutzen?|verwenden?|fahren?|besitzen?)){_ADV}(?:\s(?i:seit \w+|für \w+))*\s(?i:ein|eine|einen|zwei|mir ein|mir einen|mir eine|das|den)\s(?:(?i:neues|neuen|neue|altes|alten|alte)\s)?(?P<product><<PROPER>>\s\w*\d\w*(?:\s\w+)?|(?-i:iPhone|iPad|MacBook)[\w ]*?)(?=\s*(?:$|[.,!?])|\s(?i:und|aber|mit|gekauft)\b)",
        rf"{_MEIN}\s(?P<product><<CAP>>(?:\s<<CAP>>)*\s\w*\d\w*)\b",
        rf"{_MEIN}\s(?i:laptop|handy|rechner|telefon|drucker|tablet|auto|router)\s(?i:ist)\s(?:(?i:ein|eine)\s)?(?P<product><<PRODUCT>>)",
        r"(?P<not_product><<ANY_PRODUCT>>)\s(?i:nutzen|benutzen|verwenden|haben|nutze|verwende)\s(?i:wir|ich)\s(?i:nicht mehr|nicht)(?:,\s(?i:wir sind|ich bin)\s(?i:jetzt )?(?i:bei|auf)\s(?P<product><<ANY_PRODUCT>>))?",
        rf"{_ICH}\s(?i:nutzen?|benutzen?|verwenden?|haben?|habe)\s(?P<not_product><<ANY_PRODUCT>>)\s(?i:nicht mehr|nicht|abgeschafft|gekündigt|rausgeworfen|verkauft)",
        rf"{_ICH}\s(?i:nutzen?|benutzen?|verwenden?|habe?n?)\s(?i:kein|keine|keinen)\s(?P<not_product><<ANY_PRODUCT>>)",
        r"(?i:\bvon)\s(?P<not_product><<ANY_PRODUCT>>)\s(?i:auf|zu)\s(?P<product><<ANY_PRODUCT>>)\s(?i:gewechselt|umgestiegen|migriert|umgezogen)",
        r"(?i:\b(?:sind|bin)\s(?:jetzt|inzwischen|nun) (?:bei|auf))\s(?P<product><<ANY_PRODUCT>>)",
        r"(?i:\bauf)\s(?P<product><<ANY_PRODUCT>>)\s(?i:umgestiegen|gewechselt)",
    ],
    "reference": [
        r"(?i:(?:bestell|auftrags|ticket|kunden|rechnungs|sendungs|buchungs|vorgangs|fall|vertrags|tracking|referenz)[ -]?(?:nummer|nr\.?|id)|\b(?:bestellung|auftrag|ticket|rechnung|buchung|sendung|vorgang|reservierung|aktenzeichen|vertrag)(?:\s(?:nr\.?|nummer|no\.?))?)(?:\s?(?:[:#=]|ist|lautet|mit der nummer))*\s*(?i:<<CODE>>)(?!\s?(?i:uhr|stück|mal|tage|€|euro|%))",
    ],
    "preference": [
        rf"{_ICH}\s(?i:bevorzugen?|mag lieber|hätten? lieber|nehmen? lieber)\s(?P<preference><<REST>>)",
        r"(?i:\b(?:mir|uns) (?:ist|sind|wäre|wären))\s(?P<preference><<REST>>?\s(?i:lieber)(?:\s<<REST>>)?)",
        rf"{_ICH}\s(?P<preference>(?i:mag|mögen)\s<<REST>>?\s?(?i:keine?n?|nicht|gar nicht|überhaupt nicht)(?:\s<<REST>>)?|(?i:hasse|hassen|kann|können)\s<<REST>>?(?i:(?<=hasse )\w+|nicht (?:leiden|ausstehen|ab)))",
        rf"{_ICH}\s(?P<preference>(?i:mag|mögen) (?i:keine?n?) <<REST>>|(?i:hasse) <<REST>>)",
        rf"{_ICH}\s(?i:mag|mögen|liebe)\s(?P<preference>(?!(?i:keine?n?|es|das|den|die|euch|dich|nicht)\b)<<REST>>)(?<!nicht)",
        r"(?i:\bbitte)\s(?P<preference><<REST>>?(?i:immer|nur noch|stets|nie|niemals|keine)\s<<REST>>)",
        r"(?i:\b(?:ab jetzt|künftig|in zukunft|von jetzt an)(?: bitte)?)\s(?P<preference><<REST>>)",
        r"(?P<preference>(?i:antworte?n? \w+ immer <<REST>>|schreib\w* \w+ (?:immer|bitte nur) <<REST>>))",
        rf"{_ICH}\s(?i:ziehe)\s(?P<preference><<REST>>?)\s(?i:vor)\b",
    ],
    "problem": [
        r"(?:<<CLAUSE>>)(?P<problem>(?i:jedes ?mal,?\s(?:wenn)?)<<INSIDE>>+(?:,\s<<INSIDE>>+)?)",
        r"(?:<<CLAUSE>>|\s(?i:und|aber|weil)\s)(?P<problem><<INSIDE>>*?\b(?i:ständig|dauernd|andauernd|immer wieder|schon wieder|immer noch nicht|noch immer nicht|immer noch|regelmäßig|jeden (?:tag|morgen|abend)|jede (?:nacht|woche|stunde)|immer)\b<<INSIDE>>*)",
    ],
}
