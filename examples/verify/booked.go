package main

import "math/big"

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
	// The request that the event is of, whatever its type; nil where it names none.
	request *string
	id      string
	prices  []*big.Int
	counts  []int64
	lines   []claimedLine
	amount  *big.Int
	after   *big.Int
}

type claimedLine struct {
	class         string
	count         int64
	price, amount *big.Int
}

func readClaim(kind string, data []byte, from *jsonReader) claim {
	found := claim{kind: kind}
	said, err := from.membersOf(data)
	found.isWrong = err != nil || !found.read(said, from)
	_, isMovement := effects[kind]
	found.isUnknown = !isMovement && said.balanceAfter != nil
	if request, isText := textOf(said.requestID); err == nil && isText {
		found.request = &request
	}
	return found
}

// False when the data are not what those of such an event are.
func (c *claim) read(said members, from *jsonReader) (holds bool) {
	switch c.kind {
	case "RequestAccepted":
		price, err := from.membersOf(said.price)
		c.prices = amounts(price.input, price.cachedInput, price.output)
		c.id, holds = textOf(said.requestID)
		return holds && err == nil && c.prices != nil
	case "TokensMetered":
		c.counts = tokens(said.inputTokens, said.cachedInputTokens, said.outputTokens)
		c.id, holds = textOf(said.requestID)
		return holds && c.counts != nil
	case "RequestFailed", "RequestAbandoned":
		c.id, holds = textOf(said.requestID)
		return holds
	}
	if _, isMovement := effects[c.kind]; !isMovement {
		return true
	}
	moved := amounts(said.amount, said.balanceAfter)
	if moved == nil {
		return false
	}
	c.amount, c.after = moved[0], moved[1]
	return c.kind != "CreditDebited" || c.readDebit(said, from)
}

func (c *claim) readDebit(said members, from *jsonReader) (holds bool) {
	lines, err := from.partsOf(said.lines, '[')
	c.id, holds = textOf(said.requestID)
	for _, line := range lines {
		shown, shownErr := from.membersOf(line)
		class, isText := textOf(shown.class)
		paid, count := amounts(shown.price, shown.amount), tokens(shown.tokens)
		if shownErr != nil || !isText || paid == nil || count == nil {
			return false
		}
		c.lines = append(c.lines, claimedLine{class, count[0], paid[0], paid[1]})
	}
	return holds && err == nil
}

// Tokens × price = debit; balance before ± amount = balance after.
type money struct {
	whole bool
	// Nil behind an event of a later version, which moved it to where the next known one says.
	balance  *big.Int
	requests map[string]*request
}

type request struct {
	prices []*big.Int
	counts []int64
}

func (c *claim) isOf(request *string) bool {
	return request == nil || c.request != nil && *c.request == *request
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
		m.balance = nil
		return "unknown"
	}
	effect, moves := effects[c.kind]
	if !moves {
		return ""
	}
	before := m.balance
	m.balance = c.after
	if !m.whole || before == nil {
		return ""
	}
	moved := new(big.Int).Mul(big.NewInt(effect), c.amount)
	if moved.Add(moved, before).Cmp(c.after) != 0 {
		return "balance"
	}
	return ""
}

func (m *money) isPriced(c claim) bool {
	switch c.kind {
	case "RequestAccepted":
		// Accepted twice, it would have two prices to choose from; metered twice, two counts.
		if m.requests[c.id] != nil {
			return false
		}
		m.requests[c.id] = &request{prices: c.prices}
	case "TokensMetered":
		known := m.requests[c.id]
		if known == nil || known.counts != nil {
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
