package main

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"
)

// One line of an evidence file.
type event struct {
	previous, stream string
	revision         int
	kind, data       string
}

func readEvent(line []byte) (found event, err error) {
	var parts []json.RawMessage
	if !utf8.Valid(line) {
		return found, errors.New("no UTF-8")
	}
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

// Names match exactly: structs of encoding/json take them in any case.
type object map[string]any

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// -1 for what is no whole number of tokens.
func (o object) tokens(name string) int64 {
	number, isNumber := o[name].(json.Number)
	count, err := number.Int64()
	if !isNumber || err != nil || count < 0 {
		return -1
	}
	return count
}

func (o object) child(name string) object {
	child, _ := o[name].(map[string]any)
	return child
}

var priced = map[string]bool{
	"RequestAccepted": true, "TokensMetered": true, "CreditDebited": true,
	"RequestFailed": true, "RequestAbandoned": true,
}

// What does not hold: "price", "balance", "unknown" for an event of a later version, or "".
func (m *money) take(kind, text string) string {
	var data object
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&data) != nil || data == nil || decoder.More() {
		return "price"
	}
	if _, isText := data["requestId"].(string); priced[kind] && !isText {
		return "price"
	}
	if !m.isPriced(kind, data) {
		return "price"
	}
	effect, moves := effects[kind]
	if !moves {
		if _, found := data["balanceAfter"]; found {
			return "unknown"
		}
		return ""
	}
	moved := amounts(data.text("amount"), data.text("balanceAfter"))
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

func (m *money) isPriced(kind string, data object) bool {
	id := data.text("requestId")
	switch kind {
	case "RequestAccepted":
		price := data.child("price")
		prices := amounts(price.text("input"), price.text("cachedInput"), price.text("output"))
		m.requests[id] = &request{prices: prices}
		return prices != nil
	case "TokensMetered":
		counts := []int64{data.tokens("inputTokens"), data.tokens("cachedInputTokens"), data.tokens("outputTokens")}
		known := m.requests[id]
		if known == nil || counts[0] < 0 || counts[1] < 0 || counts[2] < 0 {
			return false
		}
		known.counts = counts
		return true
	case "RequestFailed", "RequestAbandoned":
		delete(m.requests, id)
	case "CreditDebited":
		return m.isDebitRight(id, data)
	}
	return true
}

func (m *money) isDebitRight(id string, data object) bool {
	known, total := m.requests[id], amounts(data.text("amount"))
	delete(m.requests, id)
	lines, _ := data["lines"].([]any)
	if known == nil || known.counts == nil || total == nil || len(lines) != len(classes) {
		return false
	}
	sum := new(big.Int)
	for i, each := range lines {
		fields, _ := each.(map[string]any)
		line := object(fields)
		shown := amounts(line.text("price"), line.text("amount"))
		cost := new(big.Int).Mul(big.NewInt(known.counts[i]), known.prices[i])
		if shown == nil || line.text("class") != classes[i] || line.tokens("tokens") != known.counts[i] ||
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
