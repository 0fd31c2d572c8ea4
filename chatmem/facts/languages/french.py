"""How people say things about themselves in French. Data: see english.py."""

from __future__ import annotations

_JE = r"(?i:\bje\b|\bj['’]|\bnous\b|\bon\b)"
_SUIS = r"(?i:\b(?:je suis|nous sommes|on est|j['’]étais))"
_AI = r"(?i:\b(?:j['’]ai|nous avons|on a|je viens d['’]acheter))"
_MON = r"(?i:\b(?:mon|ma|mes|notre|nos)\b)"
_ADV = r"(?:\s(?i:actuellement|toujours|encore|maintenant|désormais|aussi|moi|seulement|juste|tous|toutes|déjà|depuis \w+))*"
_ART = r"(?:(?i:le|la|les|un|une|des|du|de|votre|mon|ma|notre)\s|(?i:l['’]))?"
_PLAN = r"(?i:forfait|offre|formule|abonnement|plan|pack|version)"

# What a speaker calls himself, where the patterns of OWN_FORMS begin.
OWN = r"(?i)\b(?:j|nous|on\b|mon\b|ma\b|mes\b|notre|nos\b)"
OWN_FORMS = (_JE, _SUIS, _AI, _MON)
# A text in the language has one of these.
WORDS = "l d qu ne sans que je j nous mon ma mes notre nos et est le la les des une pas chez sur pour avec commande facture toujours chaque"
HYPOTHETICAL = r"(?i)\b(?:si|supposons|imagine[rz]?|imaginons|peut-être|aimerais|voudrais|pourrais|envisage(?:ons)?|pens(?:e|ons) (?:à|passer)|serais|aurais|allons|vais|quand j['’]aurai|souhaite(?:rais)?|rêve)\b|\bs['’]il\b"
# Anywhere before a statement in its sentence, and in its message.
SUPPOSING = r"(?i)\b(?:selon|d['’]après|supposons|imagine[zr]?|imaginons|on m['’]a dit|il paraît|soi-disant)\b"
OTHERS_WORDS = r"(?im)^\W*(?:écri\w*|tradui\w*|corrig\w*|reformul\w*|rédig\w*|résum\w*)\b[^:\n]{0,80}:|\b(?:jeu de rôle|données de test|dans (?:le|mon|ce) (?:roman|livre|film|jeu)|voici (?:le|un) (?:mail|message|courriel))\b"
REPORTED = r"(?i)(?:\b(?:dit|disait|écrit|affirme|raconte|prétend|pense)\b(?:\sque)?[\s,:«]*$|\btradui\w+\b)"
THIRD_PERSON = r"(?i)\b(?:il|elle|ils|elles|son|sa|ses|leur|(?:mon|ma|mes|notre|nos) (?:collègues?|chef|cheffe|frère|sœur|soeur|mère|père|mari|femme|fils|fille|amie?|copain|copine|voisine?|clients?|cliente|oncle|tante|cousine?|patron|patronne|directeur|directrice)|une? (?:clients?|cliente|amie?|collègue))\b"
INTERROGATIVE = r"(?i)^\W*(?:et |alors |bonjour,? )*(?:est-ce|suis-je|ai-je|quel\w*|qui|où|quand|comment|pourquoi|combien|peut-on|pouvez|avez|sais|savez|as-tu)"
BREAK = r"(?i)[,;:()–—]\s|\s-\s|\s(?:mais|donc|car)\s"
NOBODY = r"(?i)^\W*(?:rien|personne|aucun\w*)\b|\b(?:marche|fonctionne) (?:bien|très bien|parfaitement)\b"

PATTERNS = {
    "name": [
        r"(?i:\bje m['’]appelle|\bmon (?:nom|prénom|nom complet) (?:est|c['’]est)|\bappelez-moi|\bappelle-moi|\bici|\bau nom de)\s(?P<name><<NOT_A_NAME>><<PERSON>>)(?:,?\s(?i:(?:et )?(?:pas|non))\s(?P<not_name><<PERSON>>))?",
        r"(?i:\bc['’]est)\s(?P<name><<PERSON>>),?\s(?i:(?:et )?pas)\s(?P<not_name><<PERSON>>)",
        r"(?i:\bje ne m['’]appelle pas|\bmon nom n['’]est pas)\s(?P<not_name><<PERSON>>)(?:,?\s(?i:mais)\s(?P<name><<PERSON>>))?",
        r"(?i:\bje m['’]appelle|\bmon (?:nom|prénom) est)\s(?P<name>[a-zà-ÿ]{3,})(?=\s(?i:et)\b|[,.!]|$)",
        r"(?i:\bje suis)\s(?P<name><<NOT_A_NAME>><<CAP>>\s<<CAP>>)(?=[,.!]|$|\s(?i:de|du|et|chez)\b)",
        r"(?i:\bje suis)\s(?P<name><<NOT_A_NAME>><<CAP>>)(?=,?\s(?i:de chez|de la société)\b)",
    ],
    "company": [
        rf"{_JE}\s?{_ADV}\s?(?i:travaille|travaillons|bosse|bossons){_ADV}(?:\s(?i:comme)\s(?P<role>[\w-]+(?:\s[a-zà-ÿ]+)?))?\s(?i:chez|pour|à la|au sein de|dans l['’]entreprise)\s(?:(?i:la société|l['’]entreprise)\s)?(?P<company><<NOT_A_NAME>><<PROPER>>)(?:\s(?i:comme|en tant que)\s(?P<role2>[\w-]+))?",
        rf"{_MON}\s(?i:entreprise|société|boîte|employeur|agence|start-up|association)(?:\s(?i:est|s['’]appelle)|,)?\s(?P<company><<PROPER>>)",
        rf"{_SUIS}{_ADV}\s(?:(?i:le|la|un|une)\s)?(?:[a-zà-ÿ'’-]+\s){{1,4}}?(?i:chez|de la société|à la)\s(?P<company><<PROPER>>)",
        rf"{_SUIS}{_ADV}\s(?i:chez|employée? (?:chez|par)|embauchée? (?:chez|par)|salariée? (?:chez|de))\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:en tant que|comme))\s(?:[a-zà-ÿ'’-]+\s){1,3}?(?i:chez|de)\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:nous|on),? chez|\bici,? chez)\s(?P<company><<PROPER>>)",
        rf"{_JE}\s(?i:ne travaill\w+ (?:plus|pas)|n['’]ai jamais travaillé)\s(?i:chez|pour|à la)\s(?P<not_company><<PROPER>>)",
        r"(?i:\b(?:j['’]ai quitté|je ne suis plus (?:chez|employée? chez)|je ne suis pas chez))\s(?P<not_company><<PROPER>>)(?:[^.!?]*?(?i:\bmaintenant|\bdésormais|\brejoint)[^.!?]*?(?i:chez\s)?(?P<company><<PROPER>>))?",
        r"(?i:\b(?:je suis|suis) (?:maintenant|désormais) chez|\bj['’]ai rejoint)\s(?P<company><<PROPER>>)",
    ],
    "role": [
        r"(?i:\bje suis)(?:\s(?i:le|la|un|une|actuellement|aussi|moi-même|maintenant|désormais|toujours))*\s(?P<role>(?i:(?:comptable|infirmi[eè]re?|médecin|développeu(?:r|se)|ingénieure?|avocate?|professeure?|prof|étudiante?|architecte|graphiste|traduct(?:eur|rice)|journaliste|photographe|consultante?|direct(?:eur|rice)|responsable|chef(?:fe)?|gérante?|fondat(?:eur|rice)|cuisini[eè]re?|boulang[eè]re?|pompier|vétérinaire|pharmacien(?:ne)?|secrétaire|assistante?|vendeu(?:r|se)|coiffeu(?:r|se)|électricien(?:ne)?|plombier|menuisier|dentiste|psychologue|chercheu(?:r|se)|analyste|designer|rédact(?:eur|rice)|stagiaire|apprentie?|retraitée?|freelance|indépendante?|jardini[eè]re?|libraire|institut(?:eur|rice)|enseignante?|kinésithérapeute|kiné|sage-femme|notaire|auteure?|musicien(?:ne)?|agricult(?:eur|rice)|technicien(?:ne)?|administrat(?:eur|rice)|manager|cheffe? de projet|fleuriste|gestionnaire|bibliothécaire|mécanicien(?:ne)?|formateur|formatrice|acheteu(?:r|se)|commercial(?:e)?|opticien(?:ne)?|orthophoniste|éditeur|éditrice|pâtissi[eè]re?))(?:\s(?!(?i:dans|chez|à|et|mais|depuis|pour|en|au|qui|ici|de la|du)\b)[a-zà-ÿ'’-]+){0,3})(?:\s(?i:chez|de|à)\s(?P<company><<PROPER>>))?",
        r"(?i:\b(?:en tant que|en qualité de))\s(?:(?i:un|une)\s)?(?P<role>[a-zà-ÿ'’-]+(?:\s(?!(?i:de|chez|du|à|dans)\b)[a-zà-ÿ'’-]+){0,2})(?:\s(?i:de|chez|du)\s(?P<company><<PROPER>>))?,?",
        rf"{_MON}\s(?i:métier|poste|travail|profession)\s(?i:est|c['’]est)\s(?P<role>[a-zà-ÿ'’-]+(?:\s[a-zà-ÿ'’-]+){{0,2}})",
        r"(?i:\bje travaille comme)\s(?P<role>[a-zà-ÿ'’-]+(?:\s(?!(?i:chez|à|dans|pour|et|depuis)\b)[a-zà-ÿ'’-]+){0,2})(?:\s(?i:chez|à|pour)\s(?P<company><<PROPER>>))?",
        r"(?i:\bje ne suis (?:pas|plus))\s(?P<not_role>(?!(?i:sûre?|là|d['’]accord|contente?|satisfaite?|sur|chez|à|en|le|la|certaine?|dans|au)\b)[a-zà-ÿ-]+)(?:,?\s(?i:(?:mais )?(?:je suis )?)(?P<role>[a-zà-ÿ-]+))?(?=[,.!]|$)",
    ],
    "location": [
        rf"{_JE}\s?{_ADV}\s?(?i:habite|habitons|vis|vivons|vit|réside){_ADV}\s(?i:(?:maintenant |désormais )?(?:à|en|au|aux|près de|dans|sur))\s(?P<location><<PLACE>>)",
        rf"{_SUIS}{_ADV}\s(?i:basée?s?|située?s?|installée?s?|domiciliée?s?)\s(?i:à|en|au|près de|dans)\s(?P<location><<PROPER>>)",
        rf"{_MON}\s(?i:bureaux?|siège|locaux|boutique|magasin|atelier|entreprise|équipe|maison|siège social)\s(?i:est|sont|se trouve|se trouvent)\s(?:(?i:située?s?|basée?s?)\s)?(?i:à|en|au)\s(?P<location><<PROPER>>)",
        r"(?i:\bdéménagée?s?|\bdéménagé|\bpassée?s?)\s(?i:de)\s(?P<not_location><<PROPER>>)\s(?i:à|en|vers|pour)\s(?P<location><<PROPER>>)",
        r"(?i:\bdéménagée?s?)\s(?i:à|en|au)\s(?P<location><<PROPER>>)",
        r"(?i:\bje n['’]habite (?:plus|pas)|\bnous n['’]habitons (?:plus|pas)|\bje ne vis (?:plus|pas)|\bnous ne sommes (?:plus|pas) basés)\s(?i:à|en|au)\s(?P<not_location><<PROPER>>)(?:,?\s(?i:mais)\s(?i:à|en|au)\s(?P<location><<PROPER>>))?",
    ],
    "plan": [
        rf"(?:{_SUIS}|{_AI}|(?i:\b(?:j['’]utilise|je paie|nous payons|j['’]ai pris|j['’]ai souscrit)\b)){_ADV}\s?(?i:(?:abonnée?s? )?(?:sur|à|au|avec)\s)?{_ART}{_PLAN}\s(?P<plan><<PROPER>>|<<TIER>>)",
        rf"{_SUIS}{_ADV}\s(?i:sur|en|au|chez)\s(?P<plan><<TIER>>)(?=[,.!?]|\s|$)",
        rf"{_MON}\s{_PLAN}\s(?i:est|c['’]est|:)\s(?:{_ART})(?P<plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\b(?:passée?s?|migrée?s?|changé|basculé))\s(?i:de|du)\s(?:{_ART}{_PLAN}\s(?P<not_plan2><<CAP>>)|(?P<not_plan><<TIER>>))\s(?i:à|au|vers|en)\s(?:{_ART}{_PLAN}\s(?P<plan2><<CAP>>)|(?P<plan><<TIER>>))",
        rf"(?i:\b(?:je suis passée?|nous sommes passés|on est passés))\s(?i:à|au|en)\s(?:{_ART}{_PLAN}\s)?(?P<plan><<TIER>>)",
        rf"(?i:\bne (?:suis|sommes) (?:plus|pas)|\bn['’](?:ai|avons) (?:plus|pas))\s(?i:(?:abonnée?s? )?(?:sur|au|à|d['’]?)\s?)?{_ART}(?:{_PLAN}\s)(?P<not_plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\b(?:résilié|annulé))\s{_ART}(?:{_PLAN}\s)(?P<not_plan><<TIER>>|<<PROPER>>)",
    ],
    "product": [
        rf"{_JE}\s?{_ADV}\s?(?i:utilise|utilisons|nous servons de|me sers de|travaille(?:ons)? (?:avec|sur)){_ADV}\s{_ART}(?P<product><<ANY_PRODUCT>>)(?:\s(?i:et)\s(?P<product2><<ANY_PRODUCT>>))?",
        rf"{_AI}{_ADV}\s(?:(?i:acheté|pris)\s)?(?i:un|une|deux)\s(?:(?i:nouveau|nouvelle|vieux|vieille)\s)?(?P<product><<PRODUCT>>)",
        rf"{_MON}\s(?P<product><<CAP>>(?:\s<<CAP>>)*\s\w*\d\w*)\b",
        rf"{_MON}\s(?i:téléphone|ordinateur|portable|tablette|imprimante|voiture)\s(?i:est)\s(?i:un|une)\s(?P<product><<PRODUCT>>)",
        rf"(?i:\bn['’]utilis(?:e|ons) (?:plus|pas)|\bne me sers plus de|\bn['’]avons (?:plus|pas)|\bn['’]ai (?:plus|pas)(?: d['’]| de)?)\s?{_ART}(?P<not_product><<ANY_PRODUCT>>)(?:,\s(?i:on est passés|nous sommes passés|je suis passée?|maintenant c['’]est)\s(?i:à|sur|au)\s(?P<product><<ANY_PRODUCT>>))?",
        r"(?i:\b(?:passée?s?|migrée?s?|changé))\s(?i:de)\s(?P<not_product><<ANY_PRODUCT>>)\s(?i:à|vers|sur)\s(?P<product><<ANY_PRODUCT>>)",
        r"(?i:\b(?:on est passés|nous sommes passés|je suis passée?))\s(?i:à|sur)\s(?P<product><<ANY_PRODUCT>>)",
        rf"(?i:\b(?:résilié|abandonné|arrêté|supprimé|désinstallé|vendu))\s{_ART}(?P<not_product><<ANY_PRODUCT>>)",
    ],
    "reference": [
        r"(?i:\b(?:commande|ticket|facture|réservation|dossier|colis|demande|numéro de (?:commande|client|suivi|dossier|facture|réservation|ticket)|n° de (?:commande|client|suivi)|référence|suivi|billet))(?:\s?(?:[:#=]|n[°º]|numéro|est|le))*\s*(?:(?i:client)\s)?(?i:<<CODE>>)(?!\s?(?i:jours|fois|€|euros|%|pièces|heures)\b)",
    ],
    "preference": [
        rf"{_JE}\s?(?i:(?:préfère|préférons|préférerais|préfèrerais|aimerais mieux)(?: que)?)\s(?:(?i:les|la|le|des)\s)?(?P<preference>(?!(?i:ne|pas|rien)\b)<<REST>>)",
        rf"{_JE}\s?(?P<preference>(?i:n['’]aime pas|n['’]aimons pas|déteste|détestons|ne supporte pas)\s<<REST>>)",
        rf"{_JE}\s?(?i:aime(?: bien| beaucoup)?|adore)\s(?P<preference>(?!(?i:pas|ça|cela)\b)<<REST>>)",
        r"(?P<preference>(?i:répond\w* (?:-moi )?toujours|répondez-moi toujours|écrivez-moi toujours|utilisez toujours|réponds-moi toujours)\s<<REST>>)",
        r"(?i:\b(?:merci de|s['’]il (?:vous|te) plaît,?|à l['’]avenir,?|désormais,?))\s(?P<preference>(?i:toujours\s|ne (?:jamais|pas|plus)\s)?(?i:répond|écri|utilis|appel|donn|envo)\w*\s<<REST>>)",
    ],
    "problem": [
        r"(?:<<CLAUSE>>|\s(?i:et|mais)\s)(?P<problem>(?i:à chaque fois qu|chaque fois qu|dès qu)<<INSIDE>>+(?:,\s<<INSIDE>>+)?)",
        r"(?:<<CLAUSE>>|\s(?i:et|mais|car)\s)(?P<problem><<INSIDE>>*?\b(?i:sans cesse|sans arrêt|constamment|tout le temps|n['’]arrête pas de|encore une fois|à chaque fois|chaque (?:jour|nuit|matin|soir|semaine)|régulièrement|toujours)\b<<INSIDE>>*)",
    ],
}
