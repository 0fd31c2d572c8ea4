"""Texts of many languages, scripts and lengths for comparing two ways to the same vector."""

from __future__ import annotations

import random

_WORDS = {
    "en": "the deadlock in our orders table came back after we upgraded Postgres, retry twice and log it",
    "de": "die Nebenkostenabrechnung für die Wärmepumpe wäre größer als gedacht, schöne Grüße aus Köln",
    "fr": "combien de mailles faut-il rabattre pour l'encolure du pull, déjà tricoté à côté de la fenêtre",
    "es": "¿cuánto cuesta cambiar la dirección del pedido mañana? El niño comió jamón",
    "pt": "não consigo instalar o azulejo da cozinha, a argamassa não secou e você já viajou",
    "ru": "как испечь хлеб на закваске если кухня холодная",
    "el": "πόσο νερό χρειάζεται το ψωμί",
    "ar": "كيف أصلح الخطأ في قاعدة البيانات",
    "he": "שלום עולם מה שלומך",
    "hi": "डेटाबेस में त्रुटि कैसे ठीक करें",
    "zh": "如何优化数据库索引？可以为常用查询建立复合索引。黑猫很可爱。",
    "ja": "パン生地の発酵時間はどれくらいですか。オーブンを予熱してください。",
    "ko": "데이터베이스 오류를 어떻게 고치나요",
    "th": "วิธีแก้ข้อผิดพลาดของฐานข้อมูล",
    "code": "def getUserById(id: int) -> User | None:\n    return db.query('SELECT * FROM users WHERE id = ?', id)\n",
    "odd": "\u2581x \u2581 <s> </s> 👩‍👩‍👧 🎉 e\u0301 \u200b ﬁ ½ \t a  b   c \n\n\r\n £€ naïve NFC: é",
}
MOST_WORDS = 400


def texts(count: int, seed: int = 7) -> list[str]:
    """`count` different texts, from one word to some hundred, each of one or two languages."""
    rnd = random.Random(seed)
    made = dict.fromkeys(_WORDS.values())
    while len(made) < count:
        chosen = rnd.sample(list(_WORDS.values()), rnd.choice((1, 1, 2)))
        pieces = [word for text in chosen for word in text.split(" ")]
        length = min(MOST_WORDS, 1 + int(rnd.expovariate(1 / 25)))
        made[" ".join(rnd.choices(pieces, k=length))] = None
    return list(made)[:count]
