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

// What the data of an event say of money, read before anything is known of the events before it.
type claim struct {
	kind    string
	isWrong bool
	// It moves the balance in a way that this program does not know.
	isUnknown bool
	id        string
	prices    []*big.Int
	counts    []int64
	lines     []claimedLine
	amount    *big.Int
	after     *big.Int
}

type claimedLine struct {
	class         string
	count         int64
	price, amount *big.Int
}

func readClaim(kind string, data []byte) claim {
	found := claim{kind: kind}
	if _, moves := effects[kind]; moves {
		found.isWrong = !isObject(data) || !found.readMovement(data)
		return found
	}
	var said other
	found.isWrong = !isObject(data) || !found.readPart(data) || json.Unmarshal(data, &said, exactly) != nil
	found.isUnknown = said.BalanceAfter != nil
	return found
}

// Of an event that moves no balance.
func (c *claim) readPart(data []byte) bool {
	var id *string
	switch c.kind {
	case "RequestAccepted":
		var said accepted
		if json.Unmarshal(data, &said, exactly) != nil {
			return false
		}
		id, c.prices = said.RequestID, amounts(said.Price.Input, said.Price.CachedInput, said.Price.Output)
		if c.prices == nil {
			return false
		}
	case "TokensMetered":
		var said metered
		if json.Unmarshal(data, &said, exactly) != nil {
			return false
		}
		id, c.counts = said.RequestID, tokens(said.InputTokens, said.CachedInputTokens, said.OutputTokens)
		if c.counts == nil {
			return false
		}
	case "RequestFailed", "RequestAbandoned":
		var said ended
		if json.Unmarshal(data, &said, exactly) != nil {
			return false
		}
		id = said.RequestID
	default:
		return true
	}
	if id == nil {
		return false
	}
	c.id = *id
	return true
}

func (c *claim) readMovement(data []byte) bool {
	var said moved
	if json.Unmarshal(data, &said, exactly) != nil {
		return false
	}
	found := amounts(said.Amount, said.BalanceAfter)
	if found == nil {
		return false
	}
	c.amount, c.after = found[0], found[1]
	if c.kind != "CreditDebited" {
		return true
	}
	var id *string
	var lines []line
	if json.Unmarshal(said.RequestID, &id, exactly) != nil || json.Unmarshal(said.Lines, &lines, exactly) != nil || id == nil {
		return false
	}
	c.id = *id
	for _, line := range lines {
		shown, count := amounts(line.Price, line.Amount), tokens(line.Tokens)
		if shown == nil || count == nil {
			return false
		}
		c.lines = append(c.lines, claimedLine{line.Class, count[0], shown[0], shown[1]})
	}
	return true
}

func isObject(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

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
func (m *money) take(c claim) string {
	if c.isWrong || !m.isPriced(c) {
		return "price"
	}
	if c.isUnknown {
		return "unknown"
	}
	effect, moves := effects[c.kind]
	if !moves {
		return ""
	}
	expected := new(big.Int)
	if effect > 0 {
		expected.Add(m.balance, c.amount)
	} else {
		expected.Sub(m.balance, c.amount)
	}
	m.balance = c.after
	if m.whole && expected.Cmp(c.after) != 0 {
		return "balance"
	}
	return ""
}

func (m *money) isPriced(c claim) bool {
	switch c.kind {
	case "RequestAccepted":
		m.requests[c.id] = &request{prices: c.prices}
	case "TokensMetered":
		known := m.requests[c.id]
		if known == nil {
			return false
		}
		known.counts = c.counts
	case "RequestFailed", "RequestAbandoned":
		delete(m.requests, c.id)
	case "CreditDebited":
		return m.isDebitRight(c)
	}
	return true
}

func (m *money) isDebitRight(c claim) bool {
	known := m.requests[c.id]
	delete(m.requests, c.id)
	if known == nil || known.counts == nil || len(c.lines) != len(classes) {
		return false
	}
	sum, cost := new(big.Int), new(big.Int)
	for i, line := range c.lines {
		cost.Mul(cost.SetInt64(known.counts[i]), known.prices[i])
		if line.class != classes[i] || line.count != known.counts[i] ||
			line.price.Cmp(known.prices[i]) != 0 || line.amount.Cmp(cost) != 0 {
			return false
		}
		sum.Add(sum, cost)
	}
	return sum.Cmp(c.amount) == 0
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
