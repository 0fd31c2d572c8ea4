"""How people say things about themselves in Spanish. Data: see english.py."""

from __future__ import annotations

_MI = r"(?i:\b(?:mi|mis|nuestr[oa]s?)\b)"
_ADV = r"(?:\s(?i:ahora|actualmente|todavía|aún|ya|también|solo|sólo|siempre|aquí|mismo|todos))*"
_ART = r"(?:(?i:el|la|los|las|un|una|unos|su|mi|nuestro|al|del)\s)?"
_PLAN = r"(?i:plan|tarifa|suscripción|paquete|membresía|versión)"
_START = r"(?:^\W*|[.,;:!¡(]\s?|\b(?i:y|pero|que|yo|nosotros|porque|me|nos|hola|buenas|q tal)\s)"

# What a speaker calls himself, where the patterns of OWN_FORMS begin.
OWN = r"(?i)\b(?:mi|nuestr)"
OWN_FORMS = (_MI,)
# A text in the language has one of these.
WORDS = "mi mis soy el la los las y que en de con una por nuestra nuestro cada ya tengo vivo uso usamos está estoy estamos prefiero pedido factura siempre odio trabajo"
HYPOTHETICAL = r"(?i)\b(?:si|supongamos|imagina|imaginemos|quizás?|tal vez|ojalá|podría|podríamos|quisiera|gustaría|pensando en|pienso|pensamos|planeamos|sería|cuando tenga|voy a|vamos a)\b"
# Anywhere before a statement in its sentence, and in its message.
SUPPOSING = r"(?i)\b(?:según|supongamos|supón|imagina|imaginemos|me dijeron|dicen que|al parecer)\b"
OTHERS_WORDS = r"(?im)^\W*(?:por favor\W+)?(?:escrib\w*|traduc\w*|corrig\w*|redact\w*|resum\w*)\b[^:\n]{0,80}:|\b(?:juego de rol|datos de prueba|en (?:la|mi|esta) (?:novela|historia|película)|este es el (?:correo|mensaje))\b"
REPORTED = r"(?i)(?:\b(?:dijo|dice|decía|escribió|escribe|afirma|cuenta|cree)\b(?:\sque)?[\s,:«]*$|\btradu\w+\b)"
THIRD_PERSON = r"(?i)\b(?:él|ella|ellos|su|sus|(?:mi|mis|nuestr[oa]) (?:compañer[oa]s?|colegas?|jef[ea]|herman[oa]s?|madre|padre|marido|mujer|esposa|esposo|hij[oa]s?|amig[oa]s?|novi[oa]|vecin[oa]|clientes?|clienta|tí[oa]|prim[oa]|abuel[oa])|un[a]? (?:client[ea]|amig[oa]|colega))\b"
INTERROGATIVE = r"(?i)^\W*(?:y |hola,? )*(?:¿|estoy yo|cuál|qué|quién|dónde|cuándo|cómo|por qué|cuánto|puedo|puede|sabes|hay|funciona)"
BREAK = r"(?i)[,;:()–—]\s|\s-\s|\s(?:pero|sino|porque|aunque)\s"
NOBODY = r"(?i)^\W*(?:nada|nadie|ningun\w*)\b|\bfunciona (?:bien|perfectamente)\b"

PATTERNS = {
    "name": [
        r"(?i:\bme llamo|\bmi nombre (?:es|completo es)|\bll[aá]m[ae]n?me|\bles? (?:habla|escribe|saluda)|\baquí(?: les escribe)?|\ba nombre de)\s(?P<name>(?!(?i:no)\b)<<NOT_A_NAME>><<PERSON>>)(?:,?\s(?i:(?:y )?no)\s(?P<not_name><<PERSON>>))?",
        r"(?i:\bme llamo|\bmi nombre es|\bsoy)\s(?P<name>(?!(?i:una?|el|la|de|muy|yo|no|nuev[oa]|client[ea]|españ\w+)\b)[a-záéíóúñ]{3,})(?=,\s|\s(?i:y)\b|[.!]|$)(?<!o)(?<!a)",
        r"(?i:\bsoy)\s(?P<name>[a-záéíóúñ]{3,}),\s(?i:viv|trabaj|escrib|teng|de)",
        r"(?i:\bsoy)\s(?P<name><<NOT_A_NAME>><<CAP>>(?:\s<<CAP>>){0,2})(?=\s*(?:[,.!]|$)|\s(?i:de|del|y)\b)",
        r"(?i:\b(?:es|soy))\s(?P<name><<CAP>>),?\s(?i:no)\s(?P<not_name><<CAP>>)(?=[.,!]|$)",
        r"(?i:\bno me llamo|\bmi nombre no es)\s(?P<not_name><<PERSON>>)(?:,?\s(?i:sino|me llamo)\s(?P<name><<PERSON>>))?",
    ],
    "company": [
        rf"{_START}{_ADV}\s?(?i:trabajo|trabajamos|estoy trabajando){_ADV}\s(?i:en|para|con)\s(?P<company><<NOT_A_NAME>>(?!<<LOW_PRODUCT>>)<<PROPER>>)(?:\s(?i:como)\s(?:(?i:una?)\s)?(?P<role>[a-záéíóúñ]+(?:\s(?i:de)\s[a-záéíóúñ]+)?))?",
        rf"{_MI}\s(?i:empresa|compañía|empleador|agencia|startup|tienda|negocio)(?:\s(?i:es|se llama)|,)?\s(?P<company><<PROPER>>)",
        r"(?i:\bsoy|\bcomo)\s(?:(?i:el|la|un|una)\s)?(?:[a-záéíóúñ]+\s){1,4}?(?i:de|en)\s(?P<company><<PROPER>>)",
        r"(?i:\bsomos|\b(?:aquí|nosotros) en|\bde parte de|\ben nombre de)\s(?:(?i:la empresa)\s)?(?P<company><<PROPER>>)",
        r"(?i:\bsoy)\s<<CAP>>(?:\s<<CAP>>)*\s(?i:de|del)\s(?P<company><<PROPER>>)",
        r"(?i:\bya no trabaj(?:o|amos)|\bno trabaj(?:o|amos)|\bdejé de trabajar)\s(?i:en|para)\s(?P<not_company><<PROPER>>)(?:[^.!?]*?(?i:\bahora(?: estoy| trabajo)?)\s(?i:en|con|para)\s(?P<company><<PROPER>>))?",
        r"(?i:\bdejé)\s(?P<not_company><<PROPER>>)(?:[^.!?]*?(?i:\bahora(?: estoy| trabajo)?)\s(?i:en|con|para)\s(?P<company><<PROPER>>))?",
    ],
    "role": [
        r"(?i:(?<!no )\bsoy)\s(?:(?i:el|la|un|una)\s)?(?P<role>(?i:(?:jefe|jefa|director[a]?|responsable|gerente|coordinador[a]?|encargad[oa])\s(?:de\s)?[a-záéíóúñ]+(?:\s(?:de\s)?(?!(?i:de|en|y|del)\b)[a-záéíóúñ]+)?|enfermer[oa]|médic[oa]|contable|contador[a]?|profesor[a]?(?:\sde\s\w+)?|maestr[oa]|ingenier[oa](?:\s(?!(?i:en|de|y)\b)[a-záéíóúñ]+)?|desarrollador[a]?(?:\s(?:web|backend|frontend|de \w+))?|programador[a]?|arquitect[oa]|abogad[oa]|diseñador[a]?(?:\s(?!(?i:en|de|y)\b)[a-záéíóúñ]+)?|traductor[a]?|periodista|fotógraf[oa]|consultor[a]?|estudiante(?:\sde\s[a-záéíóúñ]+)?|cociner[oa]|panader[oa]|veterinari[oa]|farmacéutic[oa]|psicólog[oa]|dentista|electricista|fontaner[oa]|carpinter[oa]|vendedor[a]?|secretari[oa]|asistente|analista(?:\sde\s[a-záéíóúñ]+)?|administrador[a]?|dueñ[oa]|propietari[oa]|fundador[a]?|autónom[oa]|jubilad[oa]|peluquer[oa]|fisioterapeuta|bibliotecari[oa]|investigador[a]?|músico|agricultor[a]?|técnic[oa]|becari[oa]|editor[a]?|conductor[a]?|camarer[oa]|escritor[a]?|economista|biólog[oa]|mecánic[oa]))(?=\W|$)(?:\s(?i:de|en)\s(?P<company><<PROPER>>))?",
        r"(?i:\btrabaj(?:o|amos))(?:\s\w+){0,4}?\s(?i:como|de)\s(?:(?i:una?)\s)?(?P<role>[a-záéíóúñ]+(?:\s(?i:de)\s[a-záéíóúñ]+)?)(?=[\s,.!]|$)",
        r"(?:^|[,.]\s)(?i:como)\s(?P<role>[a-záéíóúñ]+(?:\s(?i:de)\s[a-záéíóúñ]+)?)(?:\s(?i:de|en)\s(?P<company><<PROPER>>))?,?\s(?i:necesito|tengo|debo|quiero|uso|prefiero|me)\b",
        rf"{_MI}\s(?i:puesto|cargo|profesión|trabajo)\s(?i:es)\s(?:(?i:el de|de|una?)\s)?(?P<role>[a-záéíóúñ]+(?:\s(?i:de)\s[a-záéíóúñ]+)?)",
        r"(?i:\bya no soy|\bno soy)\s(?:(?i:el|la|un|una)\s)?(?P<not_role>(?!(?i:de|muy|yo|client\w|experto|buen\w*)\b)[a-záéíóúñ]+(?:\s(?i:de)\s[a-záéíóúñ]+)?)(?:,?\s(?i:soy|sino)\s(?P<role>[a-záéíóúñ]+))?",
    ],
    "location": [
        rf"{_START}{_ADV}\s?(?i:vivo|vivimos|resido|residimos){_ADV}\s(?i:en|cerca de)\s(?P<location><<PLACE>>)",
        r"(?i:\b(?:me mudé|nos mudamos|me he mudado|nos hemos mudado|me trasladé|nos trasladamos))\s(?i:de|desde)\s(?P<not_location><<PROPER>>)\s(?i:a|para|hasta)\s(?P<location><<PROPER>>)",
        r"(?i:\b(?:me mudé|nos mudamos|me he mudado|nos hemos mudado))\s(?i:a|para)\s(?P<location><<PROPER>>)",
        rf"{_MI}\s(?i:oficinas?|sede|empresa|tienda|negocio|casa|equipo|almacén|taller)\s(?i:está|están|queda|se encuentra)\s(?:(?i:ubicad[oa]s?)\s)?(?i:en)\s(?P<location><<PROPER>>)",
        r"(?i:\b(?:estamos|estoy)(?: ubicad[oa]s?| radicad[oa]s?| basad[oa]s?| instalad[oa]s?))\s(?i:en)\s(?P<location><<PROPER>>)",
        r"(?i:(?<!no )\bestamos en)\s(?!(?i:el)\b)(?P<location><<PROPER>>)(?=[,.!]|$)",
        r"(?i:\bya no viv(?:o|imos)|\bno viv(?:o|imos))\s(?i:en)\s(?P<not_location><<PROPER>>)(?:,?\s(?i:sino|vivo|ahora vivo|ahora)\s(?i:en)\s(?P<location><<PROPER>>))?",
    ],
    "plan": [
        rf"(?i:(?<!no )\b(?:estoy|estamos|tengo|tenemos|pago|pagamos|uso|usamos|contraté|contratamos)){_ADV}\s?(?i:(?:suscrit[oa]s? )?(?:en|a|con)?)\s?{_ART}{_PLAN}\s(?P<plan><<PROPER>>|<<TIER>>)",
        rf"{_MI}\s{_PLAN}\s(?i:es)\s{_ART}(?P<plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\b(?:pas(?:é|amos)|cambi(?:é|amos)|me cambié|nos cambiamos))\s(?i:de|del)\s(?:{_ART}{_PLAN}\s)?(?P<not_plan><<TIER>>)\s(?i:a|al)\s(?:{_ART}{_PLAN}\s)?(?P<plan><<TIER>>|<<CAP>>)",
        rf"(?i:\b(?:pas(?:é|amos)|me cambié|nos cambiamos))\s(?i:a|al)\s(?:{_ART}{_PLAN}\s)(?P<plan><<TIER>>|<<CAP>>)",
        rf"(?i:\b(?:ya no|no|nunca)\s(?:estoy|estamos|tengo|tenemos|tuve|tuvimos))\s(?i:en\s)?{_ART}{_PLAN}\s(?P<not_plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\bcancel(?:é|amos))\s{_ART}{_PLAN}\s(?P<not_plan><<TIER>>|<<PROPER>>)",
    ],
    "product": [
        rf"(?i:(?<!no )\b(?:uso|usamos|utilizo|utilizamos|trabajamos con|trabajo con|estamos usando|estoy usando)){_ADV}\s{_ART}(?P<product><<ANY_PRODUCT>>)(?:\s(?i:y)\s(?P<product2><<ANY_PRODUCT>>))?",
        r"(?i:(?<!no )\b(?:tengo|tenemos|compré|me compré|acabo de comprar))\s(?i:un|una|dos)\s(?:(?i:nuevo|nueva|viejo|vieja)\s)?(?P<product><<PRODUCT>>)(?:\s(?i:y una?)\s(?P<product2><<PRODUCT>>))?",
        rf"{_MI}\s(?P<product><<CAP>>(?:\s<<CAP>>)*\s\w*\d\w*)\b",
        rf"{_MI}\s(?i:móvil|teléfono|celular|portátil|ordenador|computadora|impresora|coche|tablet)\s(?i:es)\s(?i:un|una)\s(?P<product><<PRODUCT>>)",
        rf"(?i:\b(?:ya no|no)\s(?:uso|usamos|utilizo|utilizamos|tengo|tenemos)|\bdejamos de usar|\bdejé de usar|\bcancel(?:é|amos)|\bvendí)\s{_ART}(?P<not_product><<ANY_PRODUCT>>)(?:,?\s(?:(?i:y|ahora)\s)*(?i:usamos|uso|tengo|tenemos)\s(?:(?i:un|una)\s)?(?P<product><<ANY_PRODUCT>>))?",
        r"(?i:\b(?:cambi(?:é|amos)|pas(?:é|amos)|migr(?:é|amos)|nos cambiamos|me cambié))\s(?i:de)\s(?P<not_product><<ANY_PRODUCT>>)\s(?i:a)\s(?P<product><<ANY_PRODUCT>>)",
    ],
    "reference": [
        r"(?i:\b(?:pedido|orden|ticket|factura|reserva|caso|envío|incidencia|expediente|referencia|seguimiento|número de (?:pedido|cliente|seguimiento|caso|factura|reserva|ticket|orden)|cliente))(?:\s?(?:[:#=]|n[°º]\.?|núm\.?|número|es(?: el)?|con))*\s*(?i:<<CODE>>)(?!\s?(?i:veces|días|€|euros|%|piezas|horas)\b)",
    ],
    "preference": [
        r"(?i:\b(?:prefiero|preferimos|preferiría|preferiríamos))\s(?P<preference>(?!(?i:no)\b)<<REST>>)",
        r"(?P<preference>(?i:\bno (?:me|nos) gustan?|\bodio|\bodiamos|\bno soporto|\bdetesto)\s<<REST>>)",
        r"(?i:(?<!no )\b(?:me|nos) (?:gustan?|encantan?))(?:\s(?i:más|mucho))?\s(?P<preference>(?!(?i:saber|que)\b)<<REST>>)",
        r"(?i:\b(?:por favor,?|a partir de ahora,?(?: por favor,?)?|en adelante,?))\s(?P<preference><<REST>>?(?i:siempre|nunca)\s<<REST>>|(?i:siempre|nunca)\s<<REST>>|(?i:respond|escrib|contest|us|mand|envi)\w+\s<<REST>>)",
        r"(?P<preference>(?i:\b(?:respónd\w*|contést\w*|escríb\w*|responde|contesta|usa) siempre)\s<<REST>>)",
    ],
    "problem": [
        r"(?:<<CLAUSE>>|\s(?i:y|pero)\s)(?P<problem>(?i:cada vez que|siempre que)\s<<INSIDE>>+(?:,\s<<INSIDE>>+)?)",
        r"(?:<<CLAUSE>>|\s(?i:y aun así|y|pero|porque)\s)(?P<problem><<INSIDE>>*?\b(?i:siempre|constantemente|todo el (?:tiempo|rato)|otra vez|sigue (?:sin|fallando|\w+ndo)|una y otra vez|todos los días|todas las \w+|cada (?:día|noche|mañana|semana|hora)|continuamente|de nuevo)\b<<INSIDE>>*)",
    ],
}
