"""How people say things about themselves in English. Data: see patterns.py for how it is read."""

from __future__ import annotations

_ME = r"(?i:\b(?:i|we)(?:\s?['’]?(?:m|re)\b|\s(?:am|are)\b)|\bim\b)"
_I = r"(?i:\b(?:i|we)\b)"
_MY = r"(?i:\b(?:my|our)\b)"
_ADVERB = r"(?:\s(?i:currently|still|now|only|just|also|both|actually|already|really|mostly|mainly|always|usually|basically|honestly|all|both|only|simply|personally|happily|ourselves|myself))*"
_HAVE = rf"{_I}(?i:\s?['’]ve|\shave)?{_ADVERB}(?:\s(?i:got|have|own|bought|purchased|drive|ordered|use|run))"
_START = r"(?:^|[.,;:!?(–—-]\s?|\b(?i:and|but|so|just|well|yes|no|then|have|has|ve|i|we)\s)"
_THIRD = r"(?i:at|with|for|of|from|@)"

# What a speaker calls himself, where the patterns of OWN_FORMS begin.
OWN = r"(?i)\b(?:i|we|im|my|our)"
OWN_FORMS = (_ME, _I, _MY, r"(?i:\b(?:i", r"(?i:\bi", r"(?i:\bwe")
# A text in the language has one of these.
WORDS = "me call you he she this that they be by at from as everyone the a is i im my we our and to of in it for on with please pls order ticket case invoice booking plan have not never always joined left running re upgraded downgraded setup hi hello hey ref reference region name its it"
HYPOTHETICAL = (
    r"(?i)\b(?:if|whether|suppose|supposing|imagine|assuming|assume|pretend|wish|unless|once|say that|what if|let['’]?s say|"
    r"might|would|could|may|maybe|perhaps|thinking (?:about|of)|considering|plan(?:ning)? (?:to|on)|going to|"
    r"want to|hope to|hoping to|dream of|as though|as if|in case|when i|until|ideal world|act as|you are|you['’]re)\b"
)
# Anywhere before a statement in its sentence, and in its message.
SUPPOSING = r"(?i)\b(?:according to|i(?:['’]m| am| was|['’]ve been) told|(?:people|they|you|everyone|colleagues?) (?:think|say|claim|believe|assume)s?|(?:page|screen|site|website|dashboard|invoice|email|letter|system|bot|it) (?:shows?|says?|states?|claims?|thinks?)|suppose|supposing|imagine|assuming|assume|pretend|obviously fake|joke|just kidding)\b"
OTHERS_WORDS = r"(?im)^\W*(?:(?:please|can you|could you|would you|now|then)\W+)*(?:write|draft|compose|translate|rewrite|proofread|rephrase|paraphrase|make this|(?:correct|fix|check) (?:my |this |the )?(?:grammar|text|english|sentence|spelling|wording)|summari[sz]e|improve this|polish this)\b[^:\n]{0,80}:|\b(?:imagine the following|role[- ]?play|pretend (?:to be|that|you)|act as|my character|in (?:the|my|this) (?:novel|story|play|film|movie|game|book|song|poem)|(?:test|sample|dummy|example) data|(?:here is|here['’]s|below is|this is) (?:the|an?|my customer['’]s) (?:email|e-mail|message|letter|text|review|ticket|transcript|chat|conversation)|i (?:received|got) (?:this|the following))\b"
REPORTED = (
    r"(?i)(?:(?<!\bas i )(?<!\blike i )\b(?:says?|said|wrote|writes|told (?:me|us|him|her|them)|tells|claims?|claimed|thinks|thought|believes?|goes|"
    r"sang|sings|quotes?|titled|text|lyrics?)\b(?:\s(?:that|like))?[\s,:]*$|\bdid i (?:ever )?(?:tell|say|mention)\b|"
    r"\bdo you (?:know|think|remember|believe)\b|\bis it true\b|\b(?:translate|rewrite|proofread)\b)"
)
THIRD_PERSON = (
    r"(?i)\b(?:he|she|his|her|him|hers|my (?:colleague|coworker|co-worker|boss|manager|brother|sister|mum|mom|mother|dad|father|"
    r"wife|husband|son|daughter|friend|partner|cousin|neighbou?r|uncle|aunt|roommate|flatmate|client|customer|girlfriend|"
    r"boyfriend|grandm\w+|grandf\w+|team ?mate|assistant|kids?|child|nephew|niece)(?!\s(?:number|id|no|ref|account|case)\b)(?!\s(?:and\s(?:i|me)\b))(?:['’]s)?|"
    r"(?:the|a|our|one|another) (?:customer|client|friend|user|colleague|guy|man|woman|neighbou?r)(?!\s(?:number|id|no|ref|account)\b)(?:['’]s)?|"
    r"someone|somebody|anyone|others)\b"
)
INTERROGATIVE = (
    r"(?i)^\W*(?:and |so |but |or |ok |okay |hi |hey )*(?:am|are|is|was|were|do|does|did|can|could|would|will|should|shall|"
    r"has|have|had|which|what|who|where|when|why|how|whose)\b(?!\s(?:the record|it['’]s worth))"
)
# Where a clause ends: what stands before it says nothing about what comes after.
BREAK = r"(?i)[,;:()–—]\s|\s-\s|\s(?:but|so|though|although|because|yet|whereas)\s"

NOBODY = r"(?i)\b(?:i|we)(?:['’]ll| will| can| should| need to| want to| could)? keep \w+ing\b(?<!getting)(?<!seeing)(?<!having)(?<!losing)|^\W*(?:always|please|nothing|nobody|no one|no longer|none)\b|\b(?:works? (?:fine|well|great)|no (?:problem|issue)s?|is gone|not? a problem)\b"

PATTERNS = {
    "name": [
        r"(?i:\bi['’]?m|\bi am|\bthis is)\s(?P<name><<NOT_A_NAME>><<PERSON>>)\s(?i:from|of|at|with)\s(?P<company><<PROPER>>)\s(?i:in)\s(?P<location><<PROPER>>)",
        rf"{_MY}\s(?i:(?:last |first |full |family )?name is(?: now)?)\s(?P<name><<PERSON>>),?\s(?i:instead of|rather than|no longer|and no longer)\s(?P<not_name><<PERSON>>)",
        r"(?i:\bit['’]?s|\bthis is)\s(?P<name><<NOT_A_NAME>><<CAP>>(?:\s<<CAP>>)?)\s(?i:here|again|speaking)",
        r"(?:^|[.,:;!]\s)(?P<name><<NOT_A_NAME>><<CAP>>\s<<CAP>>),\s(?P<role><<ROLE>>)\s(?i:at|of|from|with)\s(?P<company><<PROPER>>)",
        r"(?i:\bi['’]?m|\bi am|\bthis is|\bit['’]?s)\s(?P<name>[a-z]{3,})\s(?i:from|at)\s(?:\w+\s){0,3}?(?:(?i:at|of)\s)?(?P<company><<PROPER>>)",
        rf"{_MY}\s(?i:(?:full |first |last |real |family )?name)(?i:\sis(?: now| actually)?|['’]s|:)\s(?P<name><<PERSON>>)(?:,?\s(?i:not)\s(?P<not_name><<PERSON>>))?",
        rf"{_MY}\s(?i:name)(?i:\sis|['’]s)\s(?!(?i:not|on|in|still|spelled|wrong|missing|never)\b)(?P<name><<LOW_NAME>>)",
        rf"{_MY}\s(?i:name)\s?(?i:is\s?not|isn['’]?t)\s(?P<not_name><<PERSON>>)(?:,?\s(?i:it['’]?s|it is|but|my name is)\s(?P<name><<PERSON>>))?",
        r"(?i:(?<!n['’]t )(?<!not )(?<!never )\b(?:please )?call me)\s(?P<name><<NOT_A_NAME>>(?!(?i:back|when|if|on|at|later|today|tomorrow|crazy|a|an|the|again|asap)\b)<<PERSON>>)",
        r"(?i:\b(?:i|we) go by)\s(?P<name><<PERSON>>)",
        r"(?i:\bthis is|\bhere is)\s(?P<name><<NOT_A_NAME>><<PERSON>>)(?=\s*(?:$|[,.!;(–—-])|\s(?i:and|from|at|with|of|here|speaking|calling|writing|again)\b)",
        r"(?i:\bi['’]\s?m|\bi am|(?:^|(?<=[.,!;:]\s)|(?<=\bhi\s)|(?<=\bhey\s)|(?<=\bhello\s)|(?<=\band\s))im)\s(?P<name><<NOT_A_NAME>><<PERSON>>)(?=\s*(?:$|[,.!;(–—-])|\s(?i:and|from|at|with|of|here|now|the|by|speaking|calling|writing|again)\b)",
        r"(?i:\bthe name['’]?s|\bthe name is|\bunder the name(?: of)?|\bsigned,?|\b(?:billing |main )?contact(?: person| name)? is|\bname:)\s(?P<name><<NOT_A_NAME>><<PERSON>>)",
        r"(?i:\bit['’]?s)\s(?P<name><<PERSON>>),?\s(?i:and )?(?i:not)\s(?P<not_name><<PERSON>>)",
        r"(?:^|[,.!]\s)(?P<name><<NOT_A_NAME>><<PERSON>>)\s(?i:here|again|speaking)(?=\s*(?:$|[,.!;–—-])|\s(?i:from|at|with|of)\b)",
        r"^(?i:hi|hello|hey|good (?:morning|afternoon|evening))(?:\s(?i:team|all|there|everyone|folks))?[,!.]\s?(?P<name><<NOT_A_NAME>><<CAP>>\s<<CAP>>)\s(?i:from|at|of|with)\s(?P<company><<PROPER>>)",
        r"(?i:\bgreet me as|\bcall me|\baddress me as|\bhave me (?:down )?as)\s(?P<not_name><<CAP>>\s<<CAP>>)[.;,]?\s.*(?i:\bi['’]?m)\s(?P<name><<CAP>>\s<<CAP>>)",
    ],
    "company": [
        r"(?i:\bwe (?:rebranded (?:to|as)|are now called|['’]re now called|were renamed to|renamed ourselves to))\s(?P<company><<PROPER>>)",
        r"(?i:\bwe(?:\s?['’]re| are) not called)\s(?P<not_company><<PROPER>>)",
        rf"{_I}(?:{_ADVERB})\s(?i:work)\s(?i:(?:\w+ly )?(?:at|for|over at))\s(?:(?i:a|an|the)\s(?:[\w-]+\s){{1,4}}?(?i:called|named)\s)?(?P<company><<PROPER>>)(?:\s(?i:as)\s(?i:(?:a|an|the)\s)?(?P<role><<ROLE>>))?",
        rf"{_I}(?:{_ADVERB})\s(?i:work)\s(?i:at|for)\s(?!(?i:home|night|a|an|the|my|me|myself|it|them|us|you|this|that|hours|days|free|all)\b)(?P<company>[a-z][\w-]+)(?=\s*(?:$|[.,!?;]))",
        rf"(?:{_ME}|(?i:\bi do|\bi run|\bi lead))\s(?i:(?:the |a |an )?<<ROLE>>(?:\s\w+){{0,2}}?)\s{_THIRD}\s(?P<company><<PROPER>>)",
        rf"{_ME}{_ADVERB}\s(?i:employed (?:at|by|with)|working (?:at|for|with)|calling from|writing on behalf of|calling on behalf of|at)\s(?P<company>(?!(?i:home|gate|level|step|page|line|section|chapter|version|work|school|platform|terminal)\b)<<PROPER>>)(?!\s(?i:plan|tier|airport|station|\d))(?:,?\s(?i:not (?:by|at|for|with))\s(?P<not_company><<PROPER>>))?",
        rf"{_MY}\s(?i:(?:current |new |own )?(?:company|employer|startup|start-up|firm|agency|business|organi[sz]ation|shop))(?i:\sis(?: called| named)?|['’]s(?: called)?|\scalled|\snamed|,|:)\s(?P<company><<NOT_A_NAME>><<PROPER>>)",
        r"(?i:\b(?:we|us|folks|people|everyone|team) (?:here )?at|\bhere at|\bon behalf of|\bover here at)\s(?P<company><<PROPER>>)",
        r"(?:^|[.,;:!]\s|\b(?i:i|we)(?:['’]ve)?\s)(?i:(?:have |recently |just )*(?:joined|started (?:working )?at))\s(?P<company><<PROPER>>)(?:\s(?i:in \w+|last \w+|this \w+))?(?:\s(?i:as)\s(?i:(?:a|an|the|their)\s)?(?P<role><<ROLE>>))?",
        r"(?i:\bas (?:the |a |an )?<<ROLE>> (?:at|of|for|with|in))\s(?P<company><<PROPER>>)",
        r"(?i:\bhere from|\bspeaking from|\bfrom)\s(?P<company><<PROPER>>)\s(?i:here)\b",
        r"(?i:\bhere from|\bagain from|\bspeaking from)\s(?P<company><<PROPER>>)",
        r"(?P<company><<PROPER>>)\s\((?i:that's us|that’s us|thats us|our company|my company|my employer)\)",
        rf"{_I}\s(?i:run|own|have|founded|started|opened|manage)\s(?i:a|an)\s(?:[\w-]+\s){{1,3}}?(?:(?i:in)\s(?P<location><<CAP>>),?\s)?(?i:called|named)\s(?P<company><<PROPER>>)",
        rf"{_I}\s(?i:run|founded|started|own)\s(?P<company><<PROPER>>)(?=[,.!]|\s(?i:and|with|in|together)\b)",
        rf"{_I}(?:{_ADVERB})\s(?i:do)\s[\w ]{{2,20}}?\s(?i:at)\s(?P<company><<PROPER>>)",
        rf"{_ME}\s(?P<company><<CAP>>(?:\s<<CAP>>)*\s(?:Ltd|GmbH|Inc|LLC|AG|Oy|BV|B\.V\.|Corp|SA|SL|Lda|Limited|plc|AB|AS|KG|Co))\b",
        rf"{_I}(?:['’]ve|\shave)?\s(?i:left|quit|resigned from|no longer work (?:at|for))\s(?P<not_company><<PROPER>>)(?:[^.!?]*?(?i:\bnow(?: i['’]?m| i am| with| at| i work)*(?: with| at| for)?|\bjoined|\bmoved to|\bstarted at|\bstarted with)\s(?P<company><<PROPER>>))?",
        rf"{_I}\s(?i:do\s?n['’]?o?t|don['’]?t|no longer|do not|never|didn['’]?t)\s(?i:work(?:ed)?)\s(?i:at|for|with)\s(?P<not_company><<PROPER>>)(?:\s(?i:anymore|any more))?",
        rf"{_ME}\s(?i:not|no longer)\s(?i:(?:working |employed )?(?:at|with|by|for|from))\s(?P<not_company><<PROPER>>)",
        r"(?i:\bnow (?:i['’]?m |i am |we['’]?re )?(?:at|with))\s(?P<company><<PROPER>>)",
        r"(?i:\b(?:i|we) used to work (?:at|for))\s(?P<not_company><<PROPER>>)",
    ],
    "role": [
        rf"(?i:\bi\s?['’]?m|\bi am|\bim)(?:{_ADVERB})\s(?:(?i:a|an|the|one of the|your)\s)?(?P<role><<ROLE>>)(?!\s(?i:of (?:my|this|the problem)|user|account|plan|console|panel|page|rights|tier))(?:\s(?i:here\s)?{_THIRD}\s(?P<company><<PROPER>>))?",
        rf"(?i:\b(?:i|we)(?:\s?['’]?m|\sam)?(?:\scurrently|\snow)?\s(?:work|working|worked|employed|trained|acting|volunteer(?:ing)?)\s(?:[\w ]{{0,20}}?\s)?as)\s(?:(?i:a|an|the)\s)?(?P<role><<FREE_ROLE>>)(?:\s{_THIRD}\s(?P<company><<PROPER>>))?",
        r"(?:^|[.,;:!(]\s?|\b(?i:and|but|because|so|speaking)\s)(?i:as (?:a|an|the))\s(?P<role><<ROLE>>)(?:\s{T}\s(?P<company><<PROPER>>))?,?\s(?i:i|we|my)\b".replace(
            "{T}", _THIRD
        ),
        rf"{_MY}\s(?i:(?:current |new |official )?(?:role|job|position|job title|title|profession|occupation))(?i:\sis|['’]s|:)\s(?:(?i:that of )?(?i:a|an|the)\s)?[\"“]?(?P<role><<FREE_ROLE>>)",
        r"(?i:\b(?:i|who)\b[^.,;!?]{0,25}?\bpromoted to)\s(?:(?i:a|an|the)\s)?(?P<role><<FREE_ROLE>>?(?=\s(?i:last|this|in|at|and|so|yesterday|recently)\b|[.,!;)]|$))",
        r"(?i:\b(?:i )?(?:earn|make) my (?:living|money) as)\s(?:(?i:a|an|the)\s)?(?P<role><<FREE_ROLE>>)",
        r"(?i:\bi\s?['’]?m|\bi am)\s(?:(?i:a|an)\s)?(?P<role>[\w-]+(?:\s[\w-]+)?)\s(?i:by (?:trade|profession|training))",
        r"(?i:\bi (?:lead|run|head))\s(?i:the\s)?(?P<role>(?i:support|engineering|sales|marketing|operations|finance|product|design|it|hr|customer success|customer support))(?:\s(?i:team\s)?(?i:at|for)\s(?P<company><<PROPER>>))?",
        r"(?i:\bi\s?['’]?m not|\bim not|\bi am not|\bi['’]?m no longer|\bi am no longer|\bi stopped being|\bi used to be|\bi was)\s(?i:a|an|the)\s(?P<not_role><<ROLE>>)",
        r"(?i:\bi\s?['’]?m neither)\s(?i:a|an)\s(?P<not_role><<ROLE>>)\s(?i:nor)\s(?i:a|an)\s(?P<not_role2><<ROLE>>)",
    ],
    "location": [
        rf"{_MY}\s(?i:(?:home )?(?:city|hometown|home town|base|location|home))\s(?i:is)\s(?P<location><<PROPER>>(?:,\s<<PROPER>>)?)",
        rf"{_I}(?:['’]ve been|\shave been)?(?:{_ADVERB})\s(?i:live|reside|am living|living|live now)(?:{_ADVERB})\s(?i:(?:\w+ )?in|near|outside(?: of)?|close to|just outside)\s(?:(?i:the|a|an)\s(?:[\w-]+\s){{1,3}}?(?i:of|near|called)\s)?(?P<location><<PLACE>>)",
        rf"{_ME}(?:{_ADVERB})\s(?i:living|based|located|situated|headquartered|settled|staying|residing|writing to you from|writing from)(?:{_ADVERB})\s?(?i:(?:out of|in|near|at|from)\s)?(?:(?i:the)\s(?=[A-Z]))?(?P<location><<PLACE>>)",
        rf"{_ME}(?:{_ADVERB})\s(?i:in|from|over in|down in|up in|here in)\s(?!(?i:the|a|an|my|accounting|marketing|sales|support|it|hr|finance|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b)(?P<location><<PROPER>>(?:,\s<<PROPER>>)?)(?=\s*(?:$|[.,!?;)(–—-])|\s(?i:now|and|so|but|at the moment|by|if|which|where|since|these|instead)\b)",
        rf"{_MY}\s(?i:(?:head |main |new )?(?:office|offices|headquarters|hq|home|shop|store|studio|workshop|team|company|warehouse|practice|city|hometown|base|location|factory|place|house|flat|apartment))(?:{_ADVERB})\s(?i:is|are|sits?|lies|lives)(?:{_ADVERB})\s(?i:(?:based |located |situated )?(?:in|near|at)\s)(?P<location><<PROPER>>(?:,\s<<PROPER>>)?)",
        r"(?i:\bhome (?:is|base is)(?: in)?)\s(?P<location><<PROPER>>)",
        r"(?i:\bwhere (?:i|we) live,?(?: in)?)[,\s]+(?:(?i:in)\s)?(?P<location><<PROPER>>)",
        r"(?i:\bin)\s(?P<location><<PROPER>>),?\s(?i:where (?:i|we) live)",
        rf"(?:{_I}|^\W*|[.,;:!(]\s?|{_MY}\s(?i:family|office|company|team|business|shop|studio|hq|headquarters))(?:\s?['’]ve|\shave)?(?:{_ADVERB})\s?\b(?i:(?:just |recently )?(?:moved|relocated|am moving|re moving))(?:\s(?i:here|house|back|away|our \w+|my \w+))?\s(?i:from)\s(?P<not_location><<PROPER>>)\s(?i:(?:over |back |down |up )?to)\s(?P<location><<PLACE>>)",
        rf"(?:{_I}|^\W*|[.,;:!(]\s?|{_MY}\s(?i:family|office|company|team|business|shop|studio|hq|headquarters))(?:\s?['’]ve|\shave)?(?:{_ADVERB})\s?\b(?i:(?:just |recently )?(?:moved|relocated))\s(?i:(?:over |back |down |up |here )?to)\s(?P<location>(?!<<LOW_PRODUCT>>)(?!(?i:settings|linux|windows|mac|chrome|firefox|google|excel|preferences|options|account|plan|pro|starter|business|premium|basic)\b)<<PROPER>>)(?:\s(?i:from)\s(?P<not_location><<PROPER>>))?",
        rf"{_I}\s(?i:do\s?n['’]?o?t|do not|no longer)\s(?i:live|reside)\s(?i:in|near)\s(?P<not_location><<PROPER>>)",
        rf"{_ME}\s?(?i:n['’]?t|not|no longer)\s(?i:(?:based |located |living )?(?:in|from))\s(?P<not_location><<PROPER>>)",
        r"(?i:\bwe aren['’]?t|\bwe are not)\s(?i:(?:based|located) in)\s(?P<not_location><<PROPER>>)",
        rf"{_I}\s(?i:used to live|lived) (?i:in)\s(?P<not_location><<PROPER>>)",
        r"(?i:\b(?:region|location|city|based in)):?\s(?P<location><<PROPER>>)",
        rf"{_I}\s(?i:run|own|have|opened|manage)\s(?i:a|an)\s(?:[\w-]+\s){{1,3}}?(?i:in)\s(?P<location><<PROPER>>)",
    ],
    "plan": [
        rf"(?:{_ME}|(?i:\bbeing))(?:{_ADVERB})\s(?i:on)(?:{_ADVERB})\s(?:(?i:the|your|a|an|our)\s)?(?P<plan><<TIER_NAME>>)\s<<PLAN_WORD>>",
        rf"{_ME}(?:{_ADVERB})\s(?i:on)(?:{_ADVERB})\s(?:(?i:the|your)\s)?(?P<plan><<TIER>>)(?!\s(?i:plan|tier|trip|days?))(?=\s*(?:$|[.,!?;)(–—-])|\s(?i:and|but|so|now|since|because|at|with|for|here|still|already|these|instead|too|not|yearly|monthly)\b)",
        rf"{_HAVE}\s(?:(?i:the|a|an|your|our)\s)?(?P<plan><<TIER_NAME>>)\s<<PLAN_WORD>>",
        rf"{_I}(?:\s?['’](?:ve|m)|\shave|\sam|\sjust)?(?:{_ADVERB})\s(?i:pay(?:ing)? for|subscribed? to|signed up (?:for|to)|bought|chose|took|picked|renewed|purchased|using|use)\s(?:(?i:the|a|an|your|our|my)\s)?(?P<plan><<TIER_NAME>>)\s<<PLAN_WORD>>",
        rf"{_MY}\s(?i:(?:current )?(?:plan|subscription|tier|membership|package))(?i:\sis|['’]s|:)(?:{_ADVERB})\s(?:(?i:the|called)\s)?(?P<plan><<TIER>>|<<PROPER>>(?=\s*(?:$|[.,;!\n])|\s(?i:plan|tier|and|but|which)))",
        rf"{_MY}\s(?P<plan>(?:<<PROPER>>|<<TIER>>))\s(?i:plan|subscription|membership|tier|licen[cs]e)\b(?!\s(?i:was cancel|is cancel|expired|ended))",
        r"(?:^\W*|[\n.;,]\s?)(?i:(?:my |our |current )?(?:plan|tier|subscription))\s?(?i::|=)\s?(?P<plan><<TIER>>|<<CAP>>(?=\s*(?:$|[.,;\n])))",
        rf"(?:{_START})(?i:upgraded|downgraded|switched|moved|went|changed|migrated)(?:\s(?i:our \w+|my \w+|back|up|down|over))?\s(?i:from)\s(?i:the\s)?(?P<not_plan><<TIER>>)(?:\s<<PLAN_WORD>>)?\s(?i:to|back to|up to|down to)\s(?i:the\s)?(?P<plan><<TIER>>)",
        rf"(?:{_START})(?i:upgraded|downgraded|switched|moved|went|changed)(?:\s(?i:our \w+|my \w+|back|up|down|over))?\s(?i:to)\s(?i:the\s)?(?P<plan><<TIER>>)(?:\s<<PLAN_WORD>>)?(?:\s(?i:from)\s(?P<not_plan><<TIER>>))?",
        rf"{_ME}\s(?i:a|an)\s(?P<plan><<TIER>>)\s(?:<<PLAN_WORD>>\s)?(?i:customer|subscriber|member|user)",
        rf"{_ME}(?:{_ADVERB})\s(?i:not|no longer)\s(?i:on)\s(?:(?i:the|your|a)\s)?(?P<not_plan><<TIER>>|<<TIER_NAME>>(?=\s<<PLAN_WORD>>))",
        r"(?i:\b(?:i|we) used to (?:be on|have|pay for))\s(?:(?i:the|your|a)\s)?(?P<not_plan><<TIER>>)",
        rf"{_I}\s(?i:never had|don['’]?t have|do not have|no longer have|don['’]?t pay for|didn['’]?t (?:order|buy|have))\s(?:(?i:the|a|an|your)\s)?(?P<not_plan><<TIER>>)\s<<PLAN_WORD>>",
        rf"(?:{_START})(?i:cancel+ed|dropped|ended|stopped)\s(?:(?i:the|my|our|a)\s)?(?P<not_plan><<TIER>>)(?:\s<<PLAN_WORD>>)?",
    ],
    "product": [
        rf"{_ME}(?:{_ADVERB})\s(?i:on|using|running)\s(?i:a|an)\s(?P<product><<PRODUCT>>)(?!\s(?:<<PLAN_WORD>>|(?i:trip|call|break)))",
        rf"{_I}(?:{_ADVERB})\s(?i:edit|write|code|develop|program|design|record|build|host|deploy|store|keep|back|sync|manage|track|log)(?:\s\w+){{0,3}}?\s(?i:in|with|on|to|using|via)\s(?:(?i:a|an|the|our|my)\s)?(?P<product><<NOT_A_NAME>><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"{_I}(?:\s?['’](?:ve|m|re)|\shave|\sam|\sare|\sbeen)*(?:{_ADVERB})\s(?i:use|uses|using|been using|rely on|deploy(?:ed)? on|standardi[sz]ed on|running on|run on|run)(?:{_ADVERB})\s(?:(?i:the|a|an|our|my|on|everything on|it on)\s)*(?P<product><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)(?:(?:\s(?i:for|as|in|on)\s[\w ]{{2,24}}?)?(?:,?\s(?i:and)|,|\s\+)\s(?:(?i:the|a|an|our)\s)?(?P<product2><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)(?=\s(?i:for|as|on|in|with|every)|[.,!;]|$))?",
        rf"{_I}\s(?i:run everything on|do everything in|host everything on|keep everything in)\s(?P<product><<ANY_PRODUCT>>)",
        rf"(?:{_HAVE}|{_START}(?i:just got|bought|got))\s(?:(?i:a|an|the|two|three|my|our|several|some)\s)(?:(?i:brand new|new|used|second-?hand|old|very old|refurbished)\s)?(?P<product><<PRODUCT>>)(?!\s(?:<<PLAN_WORD>>|(?i:account|user|customer|instead of))\b)(?:,?\s(?i:and)\s(?:(?i:a|an|the|my)\s)(?P<product2><<PRODUCT>>))?",
        rf"(?:{_START})(?i:bought)\s(?:(?i:a|an|the)\s)?(?P<product><<PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"{_I}\s(?i:only|still|now)\s(?i:have|use|own)\s(?i:my|a|an|the|our)\s(?P<product><<PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"{_MY}\s(?i:\w+(?:\s\w+)?)\s(?i:is|are)\s(?:(?i:a|an|the|still a|now a)\s)(?:(?i:new|old|very old)\s)?(?P<product><<PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"{_MY}\s(?i:(?:whole |entire )?[\w-]+)\s(?i:lives? in|runs? on|is hosted (?:in|on)|(?:is|are) kept in)\s(?:(?i:a|an|the)\s)?(?P<product><<LOW_PRODUCT>>|<<PRODUCT>>(?<=\d))",
        r"(?i:\b(?:all|most|some|half) of (?:our|my) [\w-]+ (?:are using|use|are on))\s(?P<product><<ANY_PRODUCT>>)",
        r"(?:^|[.,;:!]\s?)(?i:(?:currently |still )?running (?:on )?|using )(?P<product><<PRODUCT>>)",
        r"(?i:\b(?:on|with|from|in|to|for|charge|connect|pair|sync) my)\s(?:(?i:new|old)\s)?(?P<product><<PRODUCT>>)(?!\s(?:<<PLAN_WORD>>|(?i:account|order|workspace))\b)",
        rf"(?:^|[.,;:!]\s?|\b(?i:and|but|because|that|since)\s){_MY}\s(?:(?i:new|old)\s)?(?P<product><<CAP>>(?:\s<<CAP>>)*\s\w*\d\w*(?:\s<<CAP>>)?)(?=\s(?i:is|does|has|was|keeps|won|can|ha|shows|makes|stopped|died|'s)|[.,!?]|$)",
        rf"{_ME}\s(?i:a|an)\s(?P<product><<ANY_PRODUCT>>)\s(?i:shop|house|company|team|user|customer)\b",
        rf"{_ME}(?:{_ADVERB})\s(?i:on)\s(?P<product>(?i:windows|macos|ubuntu|debian|fedora|android|ios|arch|linux|mac os)(?:\s[\d.]+)?)\b",
        rf"(?:{_START})(?i:switched|migrated|moved|changed|went)(?:\s(?i:over|everything|our \w+|all \w+|completely|away|\w+))?\s(?i:from)\s(?P<not_product><<ANY_PRODUCT>>)\s(?i:(?:over )?to)\s(?P<product><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"(?:{_START})(?i:switched|migrated|moved)(?:\s(?i:over|everything))?\s(?i:to)\s(?P<product>(?!(?i:settings|preferences|options|account|page|tab)\b)(?!<<TIER>>)<<PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"(?:{_START})(?i:replaced)\s(?:(?i:our|my|the)\s)?(?P<not_product><<ANY_PRODUCT>>)\s(?i:with|by)\s(?P<product><<ANY_PRODUCT>>)",
        rf"(?:{_START})(?i:cancel+ed|ditched|dropped|uninstalled|abandoned|sold|got rid of|stopped using|gave up(?: on)?|retired|quit using|moved (?:off|away from)|terminated)\s(?:(?i:our|my|the|using)\s)?(?P<not_product><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)(?:[^.!?]*?(?i:\b(?:and|now|bought|got)\b)[^.!?]*?\b(?i:bought|use|using|got|have|are on|on)\s(?:(?i:a|an|the)\s)?(?P<product><<PRODUCT>>))?",
        rf"{_I}(?:{_ADVERB})\s(?i:no longer|don['’]?t|do not|never|stopped|not)\s(?:(?i:even|actually|really)\s)?(?i:use|using|own|have|run|used)\s(?:(?i:a|an|the|any|our)\s)?(?P<not_product><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"{_ME}\s(?i:not|no longer)\s(?i:using|on|running)\s(?:(?i:a|an|the)\s)?(?P<not_product><<ANY_PRODUCT>>)(?!\s<<PLAN_WORD>>)",
        rf"{_I}\s(?i:used to (?:use|have|own|run))\s(?:(?i:a|an|the)\s)?(?P<not_product><<ANY_PRODUCT>>)",
        r"(?i:\beverything['’]?s?(?: is)?(?: now)? in)\s(?P<product><<ANY_PRODUCT>>)\s(?i:now|these days)",
    ],
    "reference": [
        r"(?i:\b(?:order|ticket|case|invoice|booking|reservation|request|claim)\b)[^.!?\d]{1,25}?[,:(]\s*#?(?P<reference>[A-Z]{1,4}-?\d[\d-]{3,})\b",
        r"(?i:\b(?:order|ticket|case|invoice|booking|reservation|tracking|customer|account|reference|ref|confirmation|parcel|shipment|contract|policy|claim|purchase|support|incident|client|member|membership|serial|return|rma|po)\b(?:\s?(?:number|no\.?|nr\.?|num|id|ref(?:erence)?|code|case|ticket|request)\b\.?)*\s?(?:[:#=]|\(|is|was|are|n[°º])*\s*\(?\s?)(?i:<<CODE>>)(?!\s?(?i:items?|times|days|pieces|people|pizzas?|units|percent|%|€|\$|km|users|seats)\b)",
        r"(?i:\b(?:mine|right one|new one|new (?:order|ticket|case)(?: number)?|correct one|number) is)\s(?i:<<CODE>>)",
        r"(?i:<<NOT_CODE>>\s(?:isn['’]?t|is not|is no longer|is obsolete|was never|belongs to someone))(?:\smine)?",
        r"(?i:\b(?:scrap|forget|ignore|cancel|disregard|not) (?:my |the )?(?:order|ticket|case|booking|invoice)(?:\s(?:number|no\.?))?)\s(?i:<<NOT_CODE>>)",
        r"(?i:\b(?:order|ticket|case|booking|invoice))\s(?i:<<NOT_CODE>>)\s(?i:is (?:obsolete|cancelled|canceled|not mine|closed|wrong))",
    ],
    "preference": [
        rf"{_I}\s(?i:used to (?:prefer|like|want|love))\s(?P<not_preference><<REST>>)",
        rf"{_I}(?:\s?['’]d|\swould|\sd)?(?:{_ADVERB})(?:\s(?i:really|much|strongly|generally|would))?\s(?i:prefer)\s(?i:it (?:if|when) (?:you|we) )?(?P<preference>(?!(?i:not|no)\b)<<REST>>)",
        rf"{_I}(?:\s?['’]d|\swould|\sd)\s(?i:(?:much )?rather)\s(?P<preference>(?!(?i:not|die|be dead)\b)<<REST>>)",
        rf"{_I}(?:{_ADVERB})\s(?P<preference>(?i:don['’]?t like|do not like|don['’]?t enjoy|hate|can['’]?t stand|cannot stand|dislike|loathe|detest|don['’]?t want|do not want)\s(?!(?i:it|this|that|them|you|him|her|to|the idea|your|me)\b)(?><<REST>>))(?<!anymore)(?<!any more)",
        rf"{_I}(?:{_ADVERB})(?:\s(?i:really|absolutely|much))?\s(?i:like|love|enjoy|am a (?:big |huge )?fan of)\s(?P<preference>(?!(?i:it|this|that|these|those|them|you|him|her|how|what|your|the|to know|to ask|when|where|his|their|a lot|my|our)\b)<<REST>>)",
        rf"{_ME}\s(?i:a (?:big |huge )?fan of)\s(?P<preference><<REST>>)",
        r"(?i:\b(?:please|pls|plz)\s(?:always|just|only)|\bfrom now on,?(?: please)?(?: always)?|\bgoing forward,?(?: please)?(?: always)?|\b(?:could|can|would) you (?:please )?always|^always|[.!;,]\s?always|\bin (?:the )?future,?(?: please)?)\s(?P<preference>(?!(?i:i|we|you|the|it|he|she|they|a|my|our)\b)<<REST>>?)(?=\s(?i:when|if|whenever|with me|for me|to me)\b|[,.;!?()\n]|$)",
        r"(?i:\b(?:please|pls|plz)\s)(?P<preference>(?i:never|don['’]?t|do not|no more|stop)\s(?!(?i:hesitate|worry|forget|tell me (?:to|that)|mind|close|delete|cancel|share)\b)<<REST>>?)(?=\s(?i:when|if|whenever)\b|[,.;!?()\n]|$)",
        r"(?:^|[.!;]\s)(?P<preference>(?i:never)\s(?i:call|email|send|use|write|answer|reply|give|suggest|add|put|start|explain|contact|phone|text)\s<<REST>>?)(?=\s(?i:when|if|whenever)\b|[,.;!?()\n]|$)",
        rf"{_MY}\s(?i:favou?rite|preferred)\s(?:[\w-]+\s){{1,4}}?(?i:is|are)\s(?P<preference><<PROPER>>|<<REST>>)",
        rf"(?:{_I}|\b(?i:and))\s(?i:need|want)\s(?P<preference><<REST>>?\s(?i:in (?:every|all|each)\s(?:answers?|repl(?:y|ies)|messages?|responses?|emails?)))",
        rf"{_I}\s(?i:don['’]?t want|do not want|no longer want|don['’]?t like|no longer like|no longer prefer|don['’]?t need)\s(?P<not_preference><<REST>>?)\s(?i:anymore|any more|any longer)",
    ],
    "problem": [
        r"(?:<<CLAUSE>>)(?P<problem>(?i:the|my|our|all|some|it|this)\b<<INSIDE>>*?\s(?i:ha(?:ve|s) been)\s\w+ing\b<<INSIDE>>*)",
        r"(?:<<CLAUSE>>)(?P<problem2>(?!(?i:i|you|he|she|they|we|please)\b)<<INSIDE>>*?(?<!to )\b(?i:keeps?(?: on)?)\s(?i:\w+ing|getting)\b(?!\s(?i:fine|well|great))<<INSIDE>>*)",
        r"(?:<<CLAUSE>>)(?P<problem>(?i:i|we) (?i:keep (?:getting|seeing|having|losing|running into))<<INSIDE>>+)",
        r"(?:<<CLAUSE>>)(?P<problem>(?i:every\s?time|each time|whenever)\s<<INSIDE>>+(?:,\s<<INSIDE>>+)?)",
        r"(?:<<CLAUSE>>)(?P<problem><<INSIDE>>*?\b(?i:always|constantly|repeatedly|continually|continuously|regularly|again and again|over and over|all the time|every (?:single )?(?:time|day|night|morning|evening|week|weekend|month|hour|monday|tuesday|wednesday|thursday|friday|saturday|sunday|other day|few (?:minutes|hours|days))|each time|once again|yet again|again)\b<<INSIDE>>*)",
        r"(?:<<CLAUSE>>)(?P<problem><<INSIDE>>*?\b(?i:still)\s(?=(?:\w+\s)?(?:\w+\s)?<<TROUBLE>>)<<INSIDE>>+)",
        r"(?i:\b(?:that|which)\s)(?P<problem>(?i:constantly|always|repeatedly|keeps?)\s<<INSIDE>>+)",
        r"(?i:\b(?:problem|issue|bug|thing|error) (?:where|that|with)\s)(?P<not_problem>[^.!?;]+?)\s(?i:is|has|seems)(?:\s(?i:now|finally|been))*\s(?i:gone|fixed|solved|resolved|disappeared)",
    ],
}
