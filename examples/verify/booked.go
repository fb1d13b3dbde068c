package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
)

// One line of an evidence file.
type event struct {
	previous, stream string
	revision         int
	kind, data       string
}

func readEvent(line []byte) (found event, err error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) != 7 {
		return found, errors.New("no event")
	}
	var id, metadata string
	places := []any{&found.previous, &found.stream, &found.revision, &id, &found.kind, &found.data, &metadata}
	for i, place := range places {
		if err := json.Unmarshal(parts[i], place); err != nil {
			return found, err
		}
	}
	return found, nil
}

var effects = map[string]int64{
	"CreditGranted": 1, "CreditRefunded": 1, "BalanceAdjusted": 1, "AccountClosed": 1,
	"CreditDebited": -1, "CreditExpired": -1, "GrantVoided": -1,
}

var classes = []string{"input", "cached_input", "output"}

// Tokens × price = debit; balance before ± amount = balance after.
type money struct {
	whole    bool
	balance  *big.Int
	requests map[string]*request
}

type request struct {
	prices []*big.Int
	counts []int64
}

func newMoney(whole bool) *money {
	return &money{whole, big.NewInt(0), map[string]*request{}}
}

type booked struct {
	RequestID string `json:"requestId"`
	Price     struct {
		Input       string `json:"input"`
		CachedInput string `json:"cachedInput"`
		Output      string `json:"output"`
	} `json:"price"`
	InputTokens       int64  `json:"inputTokens"`
	CachedInputTokens int64  `json:"cachedInputTokens"`
	OutputTokens      int64  `json:"outputTokens"`
	Amount            string `json:"amount"`
	BalanceAfter      string `json:"balanceAfter"`
	Lines             []struct {
		Class  string `json:"class"`
		Tokens int64  `json:"tokens"`
		Price  string `json:"price"`
		Amount string `json:"amount"`
	} `json:"lines"`
}

// What does not hold: "price", "balance", "unknown" for an event of a later version, or "".
func (m *money) take(kind, data string) string {
	var found booked
	effect := effects[kind]
	priced := map[string]bool{"RequestAccepted": true, "TokensMetered": true, "RequestFailed": true, "RequestAbandoned": true}
	if effect == 0 && !priced[kind] {
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(data), &fields) == nil && fields["balanceAfter"] != nil {
			return "unknown"
		}
		return ""
	}
	if json.NewDecoder(bytes.NewReader([]byte(data))).Decode(&found) != nil {
		return "price"
	}
	switch kind {
	case "RequestAccepted":
		prices := amounts(found.Price.Input, found.Price.CachedInput, found.Price.Output)
		if prices == nil {
			return "price"
		}
		m.requests[found.RequestID] = &request{prices: prices}
		return ""
	case "TokensMetered":
		known := m.requests[found.RequestID]
		if known == nil {
			return "price"
		}
		known.counts = []int64{found.InputTokens, found.CachedInputTokens, found.OutputTokens}
		return ""
	case "RequestFailed", "RequestAbandoned":
		delete(m.requests, found.RequestID)
		return ""
	case "CreditDebited":
		if !m.isDebitRight(found) {
			return "price"
		}
	}
	moved := amounts(found.Amount, found.BalanceAfter)
	if moved == nil {
		return "price"
	}
	expected := new(big.Int).Add(m.balance, new(big.Int).Mul(big.NewInt(effect), moved[0]))
	m.balance = moved[1]
	if m.whole && expected.Cmp(moved[1]) != 0 {
		return "balance"
	}
	return ""
}

func (m *money) isDebitRight(found booked) bool {
	known := m.requests[found.RequestID]
	delete(m.requests, found.RequestID)
	total := amounts(found.Amount)
	if known == nil || known.counts == nil || total == nil || len(found.Lines) != len(classes) {
		return false
	}
	sum := new(big.Int)
	for i, line := range found.Lines {
		shown := amounts(line.Price, line.Amount)
		cost := new(big.Int).Mul(big.NewInt(known.counts[i]), known.prices[i])
		if shown == nil || line.Class != classes[i] || line.Tokens != known.counts[i] ||
			shown[0].Cmp(known.prices[i]) != 0 || shown[1].Cmp(cost) != 0 {
			return false
		}
		sum.Add(sum, cost)
	}
	return sum.Cmp(total[0]) == 0
}

var amountForm = regexp.MustCompile(`^-?[0-9]{1,40}$`)

func amounts(texts ...string) []*big.Int {
	all := make([]*big.Int, len(texts))
	for i, text := range texts {
		if !amountForm.MatchString(text) {
			return nil
		}
		all[i], _ = new(big.Int).SetString(text, 10)
	}
	return all
}
