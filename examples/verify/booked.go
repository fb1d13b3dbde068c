package main

import (
	"bytes"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Names match exactly, as they do not in encoding/json; of a name that is there twice the last counts.
var exactly = json.JoinOptions(jsontext.AllowDuplicateNames(true), json.MatchCaseInsensitiveNames(false))

// One line of an evidence file.
type event struct {
	previous, stream, kind, data []byte
	revision                     int
}

func readEvent(line []byte) (found event, err error) {
	var parts []jsontext.Value
	if err := json.Unmarshal(line, &parts, exactly); err != nil || len(parts) != 7 {
		return found, errors.New("no event")
	}
	for i, part := range parts {
		if (part.Kind() == '"') == (i == 2) {
			return found, errors.New("no event")
		}
	}
	if found.revision, err = strconv.Atoi(string(parts[2])); found.revision < 0 {
		return found, errors.New("no event")
	}
	for i, text := range []*[]byte{&found.previous, &found.stream, &found.kind, &found.data} {
		place := []int{0, 1, 4, 5}[i]
		if err == nil {
			*text, err = jsontext.AppendUnquote(make([]byte, 0, len(parts[place])), parts[place])
		}
	}
	return found, err
}

// What an event says, of its kind; nil for what is not there.
type accepted struct {
	RequestID *string `json:"requestId"`
	Price     struct {
		Input       *string `json:"input"`
		CachedInput *string `json:"cachedInput"`
		Output      *string `json:"output"`
	} `json:"price"`
}

type metered struct {
	RequestID         *string `json:"requestId"`
	InputTokens       *int64  `json:"inputTokens"`
	CachedInputTokens *int64  `json:"cachedInputTokens"`
	OutputTokens      *int64  `json:"outputTokens"`
}

type ended struct {
	RequestID *string `json:"requestId"`
}

type moved struct {
	Amount       *string `json:"amount"`
	BalanceAfter *string `json:"balanceAfter"`
	// Of a debit alone: another event may have anything there.
	RequestID jsontext.Value `json:"requestId"`
	Lines     jsontext.Value `json:"lines"`
}

type line struct {
	Class  string  `json:"class"`
	Tokens *int64  `json:"tokens"`
	Price  *string `json:"price"`
	Amount *string `json:"amount"`
}

type other struct {
	BalanceAfter jsontext.Value `json:"balanceAfter"`
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

// What does not hold: "price", "balance", "unknown" for an event of a later version, or "".
func (m *money) take(kind string, data []byte) string {
	if !isObject(data) {
		return "price"
	}
	effect, moves := effects[kind]
	if !moves {
		var said other
		if !m.isPriced(kind, data) || json.Unmarshal(data, &said, exactly) != nil {
			return "price"
		}
		if said.BalanceAfter != nil {
			return "unknown"
		}
		return ""
	}
	var said moved
	if json.Unmarshal(data, &said, exactly) != nil || kind == "CreditDebited" && !m.isDebitRight(said) {
		return "price"
	}
	found := amounts(said.Amount, said.BalanceAfter)
	if found == nil {
		return "price"
	}
	expected := new(big.Int).Add(m.balance, new(big.Int).Mul(big.NewInt(effect), found[0]))
	m.balance = found[1]
	if m.whole && expected.Cmp(found[1]) != 0 {
		return "balance"
	}
	return ""
}

func isObject(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

func (m *money) isPriced(kind string, data []byte) bool {
	switch kind {
	case "RequestAccepted":
		var said accepted
		if json.Unmarshal(data, &said, exactly) != nil || said.RequestID == nil {
			return false
		}
		prices := amounts(said.Price.Input, said.Price.CachedInput, said.Price.Output)
		m.requests[*said.RequestID] = &request{prices: prices}
		return prices != nil
	case "TokensMetered":
		var said metered
		if json.Unmarshal(data, &said, exactly) != nil || said.RequestID == nil {
			return false
		}
		counts := tokens(said.InputTokens, said.CachedInputTokens, said.OutputTokens)
		known := m.requests[*said.RequestID]
		if known == nil || counts == nil {
			return false
		}
		known.counts = counts
	case "RequestFailed", "RequestAbandoned":
		var said ended
		if json.Unmarshal(data, &said, exactly) != nil || said.RequestID == nil {
			return false
		}
		delete(m.requests, *said.RequestID)
	}
	return true
}

func (m *money) isDebitRight(said moved) bool {
	total := amounts(said.Amount)
	var id *string
	var lines []line
	if json.Unmarshal(said.RequestID, &id, exactly) != nil || json.Unmarshal(said.Lines, &lines, exactly) != nil || id == nil {
		return false
	}
	known := m.requests[*id]
	delete(m.requests, *id)
	if known == nil || known.counts == nil || total == nil || len(lines) != len(classes) {
		return false
	}
	sum := new(big.Int)
	for i, line := range lines {
		shown, count := amounts(line.Price, line.Amount), tokens(line.Tokens)
		cost := new(big.Int).Mul(big.NewInt(known.counts[i]), known.prices[i])
		if shown == nil || count == nil || line.Class != classes[i] || count[0] != known.counts[i] ||
			shown[0].Cmp(known.prices[i]) != 0 || shown[1].Cmp(cost) != 0 {
			return false
		}
		sum.Add(sum, cost)
	}
	return sum.Cmp(total[0]) == 0
}

// Nil unless all of them are there, and no debts.
func tokens(given ...*int64) []int64 {
	all := make([]int64, len(given))
	for i, count := range given {
		if count == nil || *count < 0 {
			return nil
		}
		all[i] = *count
	}
	return all
}

// A whole number in decimal, of at most 40 digits.
func isAmount(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return len(digits) >= 1 && len(digits) <= 40
}

// Nil unless all of them are there, and amounts.
func amounts(texts ...*string) []*big.Int {
	all := make([]*big.Int, len(texts))
	for i, text := range texts {
		if text == nil || !isAmount(*text) {
			return nil
		}
		all[i], _ = new(big.Int).SetString(*text, 10)
	}
	return all
}
