"""How people say things about themselves in Portuguese. Data: see english.py."""

from __future__ import annotations

_MEU = r"(?i:\b(?:(?:o|a|os|as)\s)?(?:meu|minha|meus|minhas|noss[oa]s?)\b)"
_ADV = r"(?:\s(?i:agora|atualmente|ainda|já|também|só|apenas|sempre|aqui|mesmo|hoje|todos))*"
_ART = r"(?:(?i:o|a|os|as|um|uma|do|da|no|na|ao|à|meu|minha|nosso|nossa)\s)?"
_PLAN = r"(?i:plano|assinatura|pacote|subscrição|tarifa|versão)"
_START = r"(?:^\W*|[.,;:!(]\s?|\b(?i:e|mas|que|eu|nós|a gente|porque|oi|olá|mim)\s)"

# What a speaker calls himself, where the patterns of OWN_FORMS begin.
OWN = r"(?i)\b(?:o|a|os|as|meu|minha|noss)"
OWN_FORMS = (_MEU,)
# A text in the language has one of these.
WORDS = "eu meu minha o os e que em de com sou um uma não nosso nossa por para na da moro uso estou prefiro pedido sempre odeio trabalho gosto"
HYPOTHETICAL = r"(?i)\b(?:se|suponha|supondo|imagine|imagina|talvez|gostaria|gostava de|poderia|podíamos|pensando em|a pensar em|penso em|seria|quando tiver|vou|vamos|queria|oxalá|tomara)\b"
# Anywhere before a statement in its sentence, and in its message.
SUPPOSING = (
    r"(?i)\b(?:segundo (?:o|a|os|as)|de acordo com|suponha|supondo|imagine|imagina|disseram-me|me disseram|dizem que)\b"
)
OTHERS_WORDS = r"(?im)^\W*(?:por favor\W+)?(?:escrev\w*|traduz\w*|corrig\w*|redig\w*|resum\w*)\b[^:\n]{0,80}:|\b(?:dados de teste|(?:no|num|neste) (?:romance|livro|filme|jogo)|aqui está (?:o|a) (?:e-?mail|mensagem))\b"
REPORTED = r"(?i)(?:\b(?:disse|diz|dizia|escreveu|escreve|afirma|conta|acha)\b(?:\sque)?[\s,:«]*$|\btradu\w+\b)"
THIRD_PERSON = r"(?i)\b(?:ele|ela|eles|elas|dele|dela|seu|sua|(?:meu|minha|nosso|nossa) (?:colegas?|chefe|irmão|irmã|mãe|pai|marido|mulher|esposa|filh[oa]s?|amig[oa]s?|namorad[oa]|vizinh[oa]|clientes?|ti[oa]|prim[oa]|av[óô])|um[a]? (?:cliente|amig[oa]|colega))\b"
INTERROGATIVE = r"(?i)^\W*(?:e |oi,? |olá,? )*(?:será|estou eu|qual|quais|o que|quem|onde|quando|como|por que|porque|quanto|posso|pode|sabes?|há|dá|eu estou|estou no)"
BREAK = r"(?i)[,;:()–—]\s|\s-\s|\s(?:mas|porém|porque|só que)\s"
NOBODY = r"(?i)^\W*(?:nada|ninguém|nenhum\w*)\b|\bfunciona (?:bem|perfeitamente)\b"

PATTERNS = {
    "name": [
        r"(?i:\b(?:me chamo|chamo-me|o meu nome é|meu nome é|meu nome completo é|pode me chamar de|podem me chamar de|chame-me|chamem-me|me chame de|me chamem de|em nome de))\s(?:(?i:o|a)\s)?(?P<name>(?!(?i:não)\b)<<NOT_A_NAME>><<PERSON>>)(?:,?\s(?i:(?:e )?não)\s(?P<not_name><<PERSON>>))?",
        r"(?i:\b(?:me chamo|chamo-me|meu nome é))\s(?P<name>[a-záéíóúãõâêôç]{3,})(?=\s(?i:e)\b|[,.!]|$)",
        r"(?i:\b(?:aqui é|aqui fala|aqui quem fala é|fala|quem fala é|sou))\s(?:(?i:o|a)\s)(?P<name><<NOT_A_NAME>><<CAP>>(?:\s<<CAP>>){0,2})(?:\s(?i:da|do|de)\s(?:(?i:empresa)\s)?(?P<company><<PROPER>>))?",
        r"(?i:\bsou)\s(?P<name><<NOT_A_NAME>><<CAP>>\s<<CAP>>)(?=[,.!]|$|\s(?i:da|do|e)\b)",
        r"(?i:\bé)\s(?P<name><<CAP>>),?\s(?i:não)\s(?P<not_name><<CAP>>)(?=[.,!]|$)",
        r"(?i:\b(?:não me chamo|o meu nome não é|meu nome não é))\s(?P<not_name><<PERSON>>)",
    ],
    "company": [
        rf"{_START}{_ADV}\s?(?i:trabalho|trabalhamos|trabalha){_ADV}\s(?i:na|no|para a|para o|para|em|com a)\s(?P<company><<PROPER>>)(?:\s(?i:como)\s(?P<role>[a-záéíóúãõâêôç]+(?:\s(?i:de)\s[a-záéíóúãõâêôç]+)?))?",
        rf"{_MEU}\s(?i:empresa|empregador|agência|startup|loja|negócio)(?:\s(?i:é a|é|chama-se|se chama)|,)?\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:sou|como))\s(?:(?i:o|a|um|uma)\s)?(?:[a-záéíóúãõâêôç]+\s){1,4}?(?i:da|do|na|no)\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:somos da|somos a|nós na|nós,? da|aqui na|em nome da))\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:já não trabalho|não trabalho mais|não trabalho|deixei de trabalhar))\s(?i:na|no|para a|em)\s(?P<not_company><<PROPER>>)(?:[^.!?]*?(?i:\bagora(?: estou| trabalho)?)\s(?i:na|no|em|para a)\s(?P<company><<PROPER>>))?",
        r"(?i:\bsaí d[ao])\s(?P<not_company><<PROPER>>)(?:[^.!?]*?(?i:\bagora(?: estou| trabalho)?)\s(?i:na|no|em)\s(?P<company><<PROPER>>))?",
    ],
    "role": [
        r"(?i:(?<!não )\bsou)\s(?:(?i:o|a|um|uma)\s)?(?P<role>(?i:(?:diretor[a]?|gerente|chefe|responsável|coordenador[a]?|gestor[a]?|encarregad[oa])\s(?:(?:de|d[oa]|pel[oa])\s)?[a-záéíóúãõâêôç]+|enfermeir[oa]|médic[oa]|contabilista|contador[a]?|professor[a]?(?:\sde\s\w+)?|engenheir[oa](?:\s(?!(?i:na|no|da|do|em|e)\b)(?:de\s)?[a-záéíóúãõâêôç]+)?|desenvolvedor[a]?(?:\s\w+)?|programador[a]?|arquitet[oa]|advogad[oa]|designer|tradutor[a]?|jornalista|fotógraf[oa]|consultor[a]?|estudante(?:\sde\s[a-záéíóúãõâêôç]+)?|cozinheir[oa]|padeir[oa]|veterinári[oa]|farmacêutic[oa]|psicólog[oa]|dentista|eletricista|canalizador[a]?|encanador[a]?|carpinteir[oa]|vendedor[a]?|secretári[oa]|assistente|analista(?:\sde\s[a-záéíóúãõâêôç]+)?|administrador[a]?|don[oa]|proprietári[oa]|fundador[a]?|autónom[oa]|autônom[oa]|aposentad[oa]|reformad[oa]|cabeleireir[oa]|fisioterapeuta|bibliotecári[oa]|investigador[a]?|pesquisador[a]?|músico|agricultor[a]?|técnic[oa]|estagiári[oa]|editor[a]?|motorista|economista|biólog[oa]|mecânic[oa]))(?=\W|$)(?:\s(?i:da|do|na|no)\s(?P<company><<PROPER>>))?",
        r"(?i:\btrabalh(?:o|amos))(?:\s\w+){0,4}?\s(?i:como)\s(?:(?i:uma?)\s)?(?P<role>[a-záéíóúãõâêôç]+(?:\s(?i:de)\s[a-záéíóúãõâêôç]+)?)(?=[\s,.!]|$)",
        r"(?:^|[,.]\s)(?i:como)\s(?P<role>[a-záéíóúãõâêôç]+(?:\s(?i:de)\s[a-záéíóúãõâêôç]+)?)(?:\s(?i:da|do|na|no)\s(?P<company><<PROPER>>))?,?\s(?i:preciso|tenho|quero|uso|devo|prefiro)\b",
        rf"{_MEU}\s(?i:cargo|profissão|função|trabalho)\s(?i:é)\s(?:(?i:de|uma?)\s)?(?P<role>[a-záéíóúãõâêôç]+(?:\s(?i:de)\s[a-záéíóúãõâêôç]+)?)",
        r"(?i:\b(?:já não sou|não sou mais|não sou))\s(?:(?i:o|a|um|uma)\s)?(?P<not_role>(?!(?i:de|muito|eu|mais|client\w|bom|boa)\b)[a-záéíóúãõâêôç]+(?:\s(?i:de)\s[a-záéíóúãõâêôç]+)?)(?:,?\s(?:(?i:eu)\s)?(?i:sou|mas sim)\s(?P<role>[a-záéíóúãõâêôç]+))?",
    ],
    "location": [
        rf"{_START}{_ADV}\s?(?i:moro|moramos|vivo|vivemos|resido){_ADV}\s(?i:em|no|na|perto de)\s(?P<location><<PLACE>>)",
        r"(?i:\b(?:mudei(?:-me)?|mudamos|mudámos|me mudei|nos mudamos|mudámo-nos))\s(?i:de|do|da)\s(?P<not_location><<PROPER>>)\s(?i:para|pro|pra)\s(?:(?i:o|a)\s)?(?P<location><<PROPER>>)",
        r"(?i:\b(?:mudei(?:-me)?|mudamos|mudámos|me mudei|nos mudamos))\s(?i:para|pro|pra)\s(?:(?i:o|a)\s)?(?P<location><<PROPER>>)",
        rf"{_MEU}\s(?i:sede|escritório|escritórios|empresa|loja|casa|equipa|equipe|armazém|oficina)\s(?i:fica|ficam|está|estão|é)\s(?:(?i:localizad[oa]|sediad[oa])\s)?(?i:em|no|na)\s(?P<location><<PROPER>>)",
        r"(?i:\b(?:estamos|estou)(?: localizad[oa]s?| sediad[oa]s?| baseado| baseada)?)\s(?i:em)\s(?P<location><<NOT_A_NAME>><<PROPER>>)(?=[,.!]|$)",
        r"(?i:\b(?:já não moro|não moro mais|não moro|já não vivo|não vivo))\s(?i:em|no|na)\s(?P<not_location><<PROPER>>)(?:,?\s(?i:mas sim|agora moro|moro|agora vivo|agora)\s(?i:em|no|na)\s(?P<location><<PROPER>>))?",
    ],
    "plan": [
        rf"(?i:(?<!não )\b(?:estou|estamos|tenho|temos|pago|pagamos|uso|usamos|assino|assinamos|contratei|contratamos|subscrevo)){_ADV}\s(?:(?i:no|na|com|em)\s)?{_ART}{_PLAN}\s(?P<plan><<PROPER>>|<<TIER>>)",
        rf"{_MEU}\s{_PLAN}\s(?i:é)\s{_ART}(?P<plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\b(?:pass(?:ei|amos|ámos)|mud(?:ei|amos|ámos)|troc(?:ei|amos)))\s(?i:de|do)\s(?:{_ART}{_PLAN}\s)?(?P<not_plan><<TIER>>)\s(?i:para|ao|pro)\s(?:{_ART}{_PLAN}\s)?(?P<plan><<TIER>>|<<CAP>>)",
        rf"(?i:\b(?:pass(?:ei|amos|ámos)|mud(?:ei|amos|ámos)|volt(?:ei|amos|ámos)))\s(?i:para|ao|pro)\s(?:{_ART}{_PLAN}\s|(?i:o\s))(?P<plan><<TIER>>|<<CAP>>)",
        rf"(?i:\b(?:já não|não|nunca)\s(?:estou|estamos|tenho|temos|tive|tivemos)(?: mais)?)\s(?i:no\s|na\s)?{_ART}{_PLAN}\s(?P<not_plan><<TIER>>|<<PROPER>>)",
        rf"(?i:\bcancel(?:ei|amos|ámos))\s{_ART}{_PLAN}\s(?P<not_plan><<TIER>>|<<PROPER>>)",
    ],
    "product": [
        rf"(?i:(?<!não )(?<!já não )\b(?:uso|usamos|utilizo|utilizamos|trabalhamos com|trabalho com|estamos a usar|estou usando)){_ADV}\s{_ART}(?P<product><<ANY_PRODUCT>>)(?:\s(?i:e)\s(?:(?i:o|a)\s)?(?P<product2><<ANY_PRODUCT>>))?",
        r"(?i:(?<!não )\b(?:tenho|temos|comprei|acabei de comprar))\s(?i:um|uma|dois|duas)\s(?:(?i:novo|nova|velho|velha)\s)?(?P<product><<PRODUCT>>)(?:\s(?i:e uma?)\s(?P<product2><<PRODUCT>>))?",
        rf"{_MEU}\s(?P<product><<CAP>>(?:\s<<CAP>>)*\s\w*\d\w*)\b",
        rf"{_MEU}\s(?i:celular|telemóvel|telefone|computador|portátil|notebook|impressora|carro|tablet)\s(?i:é)\s(?i:um|uma)\s(?P<product><<PRODUCT>>)",
        rf"(?i:\b(?:já não|não)\s(?:uso|usamos|utilizo|utilizamos|tenho|temos)(?: mais)?|\bdeix(?:ei|amos|ámos) de usar|\bcancel(?:ei|amos|ámos)|\ba gente cancelou|\bvendi)\s{_ART}(?P<not_product><<ANY_PRODUCT>>)(?:,?\s(?:(?i:e|agora)\s)*(?i:usamos|uso|tenho|temos)\s(?:(?i:um|uma|o|a)\s)?(?P<product><<ANY_PRODUCT>>))?",
        r"(?i:\b(?:a gente (?:trocou|mudou|migrou|passou)|troc(?:ei|amos|ámos)|mud(?:ei|amos|ámos)|pass(?:ei|amos|ámos)|migr(?:ei|amos|ámos)))\s(?:(?i:do|da|de|o|a)\s)(?P<not_product><<ANY_PRODUCT>>)\s(?i:para|pelo|pela|pro)\s(?:(?i:o|a)\s)?(?P<product><<ANY_PRODUCT>>)",
    ],
    "reference": [
        r"(?i:\b(?:pedido|encomenda|ticket|chamado|fatura|factura|reserva|caso|envio|protocolo|referência|rastreio|número d[oea] (?:pedido|cliente|encomenda|caso|fatura|reserva|ticket|rastreio)|cliente))(?:\s?(?:[:#=]|n[°º]\.?|núm\.?|número|é(?: o)?|com))*\s*(?i:<<CODE>>)(?!\s?(?i:vezes|dias|€|euros|reais|%|peças|horas)\b)",
    ],
    "preference": [
        r"(?i:\b(?:prefiro|preferimos|preferia|preferiria))\s(?P<preference><<REST>>)",
        r"(?P<preference>(?i:\bnão gost(?:o|amos) d\w+|\bodeio|\bdetesto|\bnão suporto)\s<<REST>>)",
        r"(?i:(?<!não )\b(?:gost(?:o|amos) (?:mais |muito )?d\w+|adoro))\s(?P<preference><<REST>>)",
        r"(?i:\b(?:por favor,?|a partir de agora,?|daqui para a frente,?))\s(?P<preference><<REST>>?(?i:sempre|nunca)\s<<REST>>|(?i:sempre|nunca)\s<<REST>>|(?i:respond|escrev|us|mand|envi)\w+\s<<REST>>)",
        r"(?P<preference>(?i:\b(?:respond\w*|escrev\w*|use|usa)(?:-me)? sempre)\s<<REST>>)",
    ],
    "problem": [
        r"(?:<<CLAUSE>>|\s(?i:e|mas)\s)(?P<problem>(?i:sempre que|cada vez que|toda vez que|todas as vezes que)\s<<INSIDE>>+(?:,\s<<INSIDE>>+)?)",
        r"(?:<<CLAUSE>>|\s(?i:e|mas|porque)\s)(?P<problem><<INSIDE>>*?\b(?i:sempre|constantemente|toda hora|a toda hora|o tempo todo|de novo|outra vez|continua (?:a|sem) \w+|continua \w+ndo|vive \w+ndo|todos os dias|todas as \w+|cada (?:dia|noite|hora))\b<<INSIDE>>*)",
    ],
}
