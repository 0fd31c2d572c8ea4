"""Words that say how a question is put, not what it is about. Dropped from queries only, never from the index."""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both
    but by can cannot could did didn do does doesn doing don down during each else ever few for from further get
    gets give given had has have having he her here hers him his how i if in into is isn it its itself just let
    like ll made make many may me might mine more most much must my myself no nor not now of off on once one
    only or other our ours out over own per please s same say says said shall she should since so some such t
    tell than that the their theirs them then there these they this those through to too under until up us use
    used very was wasn we were what when where which while who whom whose why will with within without won would
    you your yours yourself ve re d m dont doesnt didnt isnt wasnt wont cant couldnt wouldnt shouldnt im ive
    youre theyre thats whats hows wheres considering regarding tell know
    don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't hadn't i'm
    i've i'd i'll you're you've you'd you'll we're we've we'd we'll they're they've it's he's she's that's there's
    what's who's where's how's when's let's
    ask asked asking discuss discussed mention mentioned talk talked remember recall last latest newest recent recently
    lately currently
    """.split()
)

OTHERS = {
    "de": frozenset(
        """
        aber als am an auch auf aus bei bin bis da dann das dass dein deine dem den denn der des dich die dies
        diese dir doch du durch ein eine einem einen einer er es euch für gab gibt habe haben hast hat hatte
        hatten ich ihm ihr im in ist ja kann kein keine können man mein meine mich mir mit nach nicht noch nur
        ob oder schon sein sich sie sind so über um und uns unser vom von vor war waren warum was wann wegen
        wenn wer wie wir wird wo wurde zu zum zur besprochen darf erwähnt gefragt gesprochen letzte letzten letztes
        neueste neuesten zuletzt gesagt haben hätte muss müssen soll sollte sollten viel viele
        welche welchem welchen welcher welches wieviel wofür woher wohin womit worum wurden wollte wollten
        """.split()
    ),
    "fr": frozenset(
        """
        à au aux avec ce ces cette comment dans de des du elle en est et étais été être eu il ils j je l la le
        les leur lui ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour pourquoi qu quand que
        quel quelle quels qui s sa se ses son sont sur t ta te tes toi ton tu un une vos votre vous y avais
        avait ai as avons quoi d c a-t-on ai-je demandé dernier derniers dernière dernières
        discuté parlé récemment aussi avons-nous combien déjà doit dois dit est-ce faire fait faut
        faut-il peut peux quelles
        """.split()
    ),
    "es": frozenset(
        """
        a al con como cómo cual cuál cuando cuándo de del dijo donde dónde el ella ellos en era es esa ese eso
        esta este esto está fue ha había hay he la las le les lo los me mi mis muy más nada no nos o para pero
        por porque que qué quien quién se ser si sin sobre son su sus sí también te tenía tu un una unas uno
        unos y ya yo hablamos pregunté última últimas último últimos
        adónde cuanta cuánta cuantas cuántas cuanto cuánto cuantos cuántos cuáles debe debo dije hacer
        hay hemos hice puede puedo tiene tengo
        """.split()
    ),
    "pt": frozenset(
        """
        a ao aos as às com como da das de dela dele do dos e é ela ele em era essa esse esta este eu foi há isso
        já lhe mais mas me meu minha na nas não no nos nós o onde os ou para pela pelo por porque qual quando
        que quê quem são se sem ser seu sua sobre também te tem tinha um uma você vocês
        falamos perguntei última últimas último últimos
        aonde deve devo disse dissemos fazer havia pode posso preciso quais quanta
        quantas quanto quantos temos tenho
        """.split()
    ),
}


def function_words(words: list[str]) -> frozenset[str]:
    """The stop words of the language a query is in: English, and another one if two of its words say so."""
    found = ENGLISH
    for stops in OTHERS.values():
        own = [w for w in words if w in stops and w not in ENGLISH]
        if len(own) >= 2 or (own and len(words) <= 4 and len(own) * 2 >= len(words)):
            found = found | stops
    return found
