"""The networks of docs/protocol.md §2.1 in their plainest form: ``torch.nn`` modules over padded batches."""

from __future__ import annotations

import torch
from torch import Tensor, nn

HIDDEN = 50


def start_lstm(lstm: nn.LSTM) -> None:
    """Glorot-uniform input weights, orthogonal recurrent weights, forget bias 1 (gates in torch's order i, f, g, o)."""
    with torch.no_grad():
        for gate in range(4):
            rows = slice(gate * lstm.hidden_size, (gate + 1) * lstm.hidden_size)
            nn.init.xavier_uniform_(lstm.weight_ih_l0[rows])
            nn.init.orthogonal_(lstm.weight_hh_l0[rows])
        lstm.bias_ih_l0.zero_()
        lstm.bias_hh_l0.zero_()
        lstm.bias_ih_l0[lstm.hidden_size : 2 * lstm.hidden_size] = 1.0


def dense(inputs: int, outputs: int) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class Plain(nn.Module):
    """Holds the vectors; ``padding_idx`` keeps ``<pad>`` constant."""

    def __init__(self, table: Tensor, tuned: bool) -> None:
        super().__init__()
        self.vectors = nn.Embedding.from_pretrained(table.clone(), freeze=not tuned, padding_idx=0)

    def network(self) -> list[nn.Parameter]:
        """All parameters except the vectors."""
        return [weight for name, weight in self.named_parameters() if not name.startswith("vectors.")]


class PlainWindow(Plain):
    """Five concatenated vectors (and letter-case features) → linear, tanh, dropout, linear."""

    def __init__(self, table: Tensor, tuned: bool, classes: int, features: int) -> None:
        super().__init__(table, tuned)
        self.first = dense(5 * table.shape[1] + features, HIDDEN)
        self.second = dense(HIDDEN, classes)
        self.dropout = nn.Dropout(0.5)

    def forward(self, windows: Tensor, features: Tensor | None = None) -> Tensor:
        x = self.vectors(windows).flatten(start_dim=1)
        x = x if features is None else torch.cat([x, features], dim=1)
        return self.second(self.dropout(torch.tanh(self.first(x))))


def last_state(lstm: nn.LSTM, vectors: Tensor, lengths: Tensor) -> Tensor:
    states, _ = lstm(vectors)
    return states[torch.arange(len(lengths)), lengths - 1]


class PlainSentence(Plain):
    """LSTM over the padded text, dropout on its state at the last real word, linear."""

    def __init__(self, table: Tensor, tuned: bool, classes: int) -> None:
        super().__init__(table, tuned)
        self.lstm = nn.LSTM(table.shape[1], table.shape[1], batch_first=True)
        start_lstm(self.lstm)
        self.out = dense(table.shape[1], classes)
        self.dropout = nn.Dropout(0.5)

    def forward(self, text: Tensor, lengths: Tensor) -> Tensor:
        return self.out(self.dropout(last_state(self.lstm, self.vectors(text), lengths)))


class PlainPair(Plain):
    """Two LSTMs, dropout on each last state, concatenation, linear + tanh, linear."""

    def __init__(self, table: Tensor, tuned: bool, classes: int) -> None:
        super().__init__(table, tuned)
        self.lstms = nn.ModuleList(nn.LSTM(table.shape[1], table.shape[1], batch_first=True) for _ in range(2))
        for lstm in self.lstms:
            start_lstm(lstm)  # type: ignore[arg-type]
        self.hidden = dense(2 * table.shape[1], HIDDEN)
        self.out = dense(HIDDEN, classes)
        self.dropout = nn.Dropout(0.5)

    def forward(self, first: Tensor, first_lengths: Tensor, second: Tensor, second_lengths: Tensor) -> Tensor:
        state = last_state(self.lstms[0], self.vectors(first), first_lengths)  # type: ignore[arg-type]
        other_state = last_state(self.lstms[1], self.vectors(second), second_lengths)  # type: ignore[arg-type]
        return self.out(torch.tanh(self.hidden(torch.cat([self.dropout(state), self.dropout(other_state)], dim=1))))


class PlainSharedPair(Plain):
    """One LSTM for both sides, dropout on each last state u and v, [u, v, |u - v|, u * v], linear + tanh, linear."""

    def __init__(self, table: Tensor, tuned: bool, classes: int) -> None:
        super().__init__(table, tuned)
        self.lstm = nn.LSTM(table.shape[1], table.shape[1], batch_first=True)
        start_lstm(self.lstm)
        self.hidden = dense(4 * table.shape[1], HIDDEN)
        self.out = dense(HIDDEN, classes)
        self.dropout = nn.Dropout(0.5)

    def forward(self, first: Tensor, first_lengths: Tensor, second: Tensor, second_lengths: Tensor) -> Tensor:
        u = self.dropout(last_state(self.lstm, self.vectors(first), first_lengths))
        v = self.dropout(last_state(self.lstm, self.vectors(second), second_lengths))
        return self.out(torch.tanh(self.hidden(torch.cat([u, v, (u - v).abs(), u * v], dim=1))))
