"""Keep the tokens of people and harnesses; of each secret its hash alone."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select

from core.access import Token
from core.errors import UnknownNameError
from server.store.records import to_json
from server.store.repository import Repository
from server.store.tables import TokenRow


class Tokens:
    """Each method is one transaction."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def add(self, token: Token, token_hash: str) -> None:
        """Keep a new one. Raises StoreError where its id is taken."""
        row = {"id": token.id, "token_hash": token_hash, "body": to_json(token)}
        with self._store.writing(f"a token {token.id} is stored already") as session:
            session.execute(insert(TokenRow).values(**row))

    def all(self) -> list[Token]:
        """Every one that was ever made, the oldest first."""
        with self._store.reading() as session:
            found = map(Token.model_validate_json, session.scalars(select(TokenRow.body)))
            return sorted(found, key=lambda token: (token.created_at, token.id))

    def behind(self, token_hash: str) -> tuple[Token, str] | None:
        """The token of this hash, and the hash as it is kept; None where there is none."""
        with self._store.reading() as session:
            row = session.scalar(select(TokenRow).filter_by(token_hash=token_hash))
            return None if row is None else (Token.model_validate_json(row.body), row.token_hash)

    def spent(self, token_hash: str, now: datetime) -> Token | None:
        """Take back a one-time token that holds, and answer it; None where there is none.

        One transaction: of two who come with it at the same moment one is let in.
        """
        with self._store.writing() as session:
            row = session.scalar(select(TokenRow).filter_by(token_hash=token_hash))
            token = None if row is None else Token.model_validate_json(row.body)
            if row is None or token is None or not token.is_once or token.state(now) != "valid":
                return None
            row.body = to_json(token.model_copy(update={"revoked_at": now}))
            return token

    def revoke(self, token_id: str, now: datetime) -> Token:
        """It holds no longer from now on; one that was revoked before stays as it is.

        Raises UnknownNameError with the ids that there are.
        """
        with self._store.writing() as session:
            row = session.get(TokenRow, token_id)
            if row is None:
                raise UnknownNameError("token", token_id, session.scalars(select(TokenRow.id)))
            token = Token.model_validate_json(row.body)
            if token.revoked_at is None:
                token = token.model_copy(update={"revoked_at": now})
                row.body = to_json(token)
            return token
