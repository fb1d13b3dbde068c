"""Keeps the books of every account and month from the feed of svc.

    KAFKA_BROKERS=127.0.0.1:9092 python finance.py [--books finance.db] [--topic svc.ledger] [--once]

It may be killed at any moment and started again: a record counts once, whenever and however often
it comes. With --once it ends when it has all that the topic has now, prints the months as CSV, and
exits 1 when the books do not add up. The file is the one of finance.mjs: either program goes on
from where the other stopped.
"""

import argparse
import json
import os
import sqlite3
import sys
import uuid
from datetime import datetime, timezone

from kafka import KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

COLUMNS = ["payments", "promotional", "used", "expired", "refunded", "corrected"]
LEAVING = {"used", "expired", "refunded"}
PICO_DIGITS = 12
TABLES = """
CREATE TABLE IF NOT EXISTS identity (consumer_group TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS accounts (account TEXT PRIMARY KEY, next INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS early (account TEXT, revision INTEGER, PRIMARY KEY (account, revision));
CREATE TABLE IF NOT EXISTS sums (account TEXT, month TEXT, name TEXT, amount TEXT NOT NULL,
  PRIMARY KEY (account, month, name));
CREATE TABLE IF NOT EXISTS balances (account TEXT PRIMARY KEY, revision INTEGER NOT NULL,
  balance TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS offsets (partition INTEGER PRIMARY KEY, next TEXT NOT NULL);
"""


def movement_of(event_type, data):
    """Column and pico-dollars of an event; None for one that moves no money."""
    amount = int(data.get("amount", 0))
    if event_type == "CreditGranted":
        return ("payments" if data["category"] == "paid" else "promotional", amount)
    if event_type == "AccountClosed":
        is_paid_out = data["remainder"] == "paid_out"
        return ("refunded", -amount) if is_paid_out else ("corrected", amount)
    return {
        "CreditDebited": ("used", amount),
        "CreditExpired": ("expired", amount),
        "CreditRefunded": ("refunded", -amount),
        "BalanceAdjusted": ("corrected", amount),
        "GrantVoided": ("corrected", -amount),
    }.get(event_type)


class Books:
    def __init__(self, file):
        self.db = sqlite3.connect(file, isolation_level=None)
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.executescript(TABLES)

    def group(self):
        """New books are a new group of consumers, which begins at the first record."""
        kept = self.one("SELECT consumer_group FROM identity")
        if kept is None:
            kept = f"finance-{uuid.uuid4()}"
            self.db.execute("INSERT INTO identity VALUES (?)", (kept,))
        return kept

    def add(self, partition, records):
        """Adds records of one partition: all of them, or none when the process dies."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            for record in records:
                self.add_one(record)
            row = (partition, str(records[-1].offset + 1))
            self.db.execute("INSERT OR REPLACE INTO offsets VALUES (?, ?)", row)
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise

    def add_one(self, record):
        account = record.key.decode()
        headers = {name: value.decode() for name, value in record.headers}
        revision = int(headers["revision"])
        if account == "pricing" or not self.is_new(account, revision):
            return
        data = json.loads(record.value)
        movement = movement_of(headers["type"], data)
        if movement is not None:
            self.move(account, data["at"], *movement)
        # Also of a type that is not known here: what it moved is then missed, and told.
        if "balanceAfter" in data:
            self.db.execute(
                """INSERT INTO balances VALUES (?, ?, ?) ON CONFLICT (account) DO UPDATE
                   SET revision = excluded.revision, balance = excluded.balance
                   WHERE excluded.revision > revision""",
                (account, revision, data["balanceAfter"]),
            )

    def move(self, account, at, name, amount):
        month = datetime.fromtimestamp(at / 1000, timezone.utc).strftime("%Y-%m")
        query = "SELECT amount FROM sums WHERE account = ? AND month = ? AND name = ?"
        total = int(self.one(query, (account, month, name)) or 0) + amount
        row = (account, month, name, str(total))
        self.db.execute("INSERT OR REPLACE INTO sums VALUES (?, ?, ?, ?)", row)

    def is_new(self, account, revision):
        """Ticks a revision off; False for one that was ticked off before."""
        ahead = self.one("SELECT next FROM accounts WHERE account = ?", (account,)) or 0
        if revision < ahead:
            return False
        if revision > ahead:
            self.db.execute("INSERT OR IGNORE INTO accounts VALUES (?, ?)", (account, ahead))
            row = (account, revision)
            return self.db.execute("INSERT OR IGNORE INTO early VALUES (?, ?)", row).rowcount == 1
        close_gap = "DELETE FROM early WHERE account = ? AND revision = ?"
        ahead += 1
        while self.db.execute(close_gap, (account, ahead)).rowcount == 1:
            ahead += 1
        self.db.execute("INSERT OR REPLACE INTO accounts VALUES (?, ?)", (account, ahead))
        return True

    def next(self, partition):
        return int(self.one("SELECT next FROM offsets WHERE partition = ?", (partition,)) or 0)

    def months_of(self, account):
        query = "SELECT month, name, amount FROM sums WHERE account = ? ORDER BY month"
        months = {}
        for month, name, amount in self.db.execute(query, (account,)):
            months.setdefault(month, dict.fromkeys(COLUMNS, 0))[name] = int(amount)
        closing = 0
        lines = []
        for month, sums in months.items():
            moved = sum(-value if name in LEAVING else value for name, value in sums.items())
            line = {"month": month, "account": account, "opening": closing, **sums}
            closing += moved
            lines.append({**line, "closing": closing})
        return lines

    def problems(self):
        """What keeps the books from being right, a sentence each."""
        gaps = "SELECT account, next FROM accounts WHERE account IN (SELECT account FROM early)"
        for account, revision in self.db.execute(gaps).fetchall():
            yield f"{account}: revision {revision} is missing"
        for account, balance in self.balances():
            closing = next((line["closing"] for line in reversed(self.months_of(account))), 0)
            if closing != int(balance):
                yield f"{account}: the months add up to {closing}, and its last event says {balance}"

    def balances(self):
        return self.db.execute("SELECT account, balance FROM balances ORDER BY account").fetchall()

    def one(self, query, values=()):
        row = self.db.execute(query, values).fetchone()
        return None if row is None else row[0]


def dollars(pico):
    """Exact, with two decimals at least, as svc writes amounts."""
    digits = str(abs(pico)).rjust(PICO_DIGITS + 1, "0")
    fraction = digits[-PICO_DIGITS:].rstrip("0").ljust(2, "0")
    return f"{'-' if pico < 0 else ''}{digits[:-PICO_DIGITS]}.{fraction}"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--books", default="finance.db")
    options.add_argument("--topic", default="svc.ledger")
    options.add_argument("--once", action="store_true")
    asked = options.parse_args()
    books = Books(asked.books)
    consumer = KafkaConsumer(
        bootstrap_servers=os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092").split(","),
        group_id=books.group(),
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    consumer.subscribe([asked.topic])
    partitions = consumer.partitions_for_topic(asked.topic) or ()
    if asked.once and not partitions:
        # Empty books would add up.
        sys.exit(f"There is no topic {asked.topic}: name that of SVC_KAFKA_TOPIC by --topic.")
    places = [TopicPartition(asked.topic, at) for at in partitions]
    ends = consumer.end_offsets(places)
    while not (asked.once and all(books.next(at.partition) >= end for at, end in ends.items())):
        for place, records in consumer.poll(timeout_ms=500).items():
            # In the books first, then passed: what comes again after a crash is known.
            books.add(place.partition, records)
            consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    consumer.close()
    names = ["month", "account", "opening", *COLUMNS, "closing"]
    print(",".join(names))
    for account, _ in books.balances():
        for line in books.months_of(account):
            cells = [line[name] for name in names]
            print(",".join(dollars(cell) if isinstance(cell, int) else cell for cell in cells))
    problems = list(books.problems())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 0 if not problems else 1


if __name__ == "__main__":
    sys.exit(main())
