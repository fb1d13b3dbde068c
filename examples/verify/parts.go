package main

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Reads JSON as it stands in its text. Nothing is made of what nobody asks for: most of it.
type jsonReader struct {
	decoder jsontext.Decoder
}

// The elements of an array ('[') or the names and values of an object ('{') in turns, and nothing
// but space around it.
func (r *jsonReader) partsOf(text []byte, kind jsontext.Kind) (parts []jsontext.Value, err error) {
	r.decoder.Reset(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if opened, err := r.decoder.ReadToken(); err != nil || opened.Kind() != kind {
		return nil, errors.New("another kind of JSON")
	}
	parts = make([]jsontext.Value, 0, 24)
	for r.decoder.PeekKind() != ']' && r.decoder.PeekKind() != '}' {
		part, err := r.decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		end := r.decoder.InputOffset()
		parts = append(parts, text[end-int64(len(part)):end])
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return parts, nil
}

// What objects of events say of money; nil for what is not there.
type members struct {
	requestID, price, amount, balanceAfter, lines jsontext.Value
	inputTokens, cachedInputTokens, outputTokens  jsontext.Value
	// Of a price.
	input, cachedInput, output jsontext.Value
	// Of a line.
	class, tokens jsontext.Value
}

// Names match exactly; of a name that is there twice the last counts.
func (r *jsonReader) membersOf(object []byte) (found members, err error) {
	parts, err := r.partsOf(object, '{')
	for ; len(parts) > 0; parts = parts[2:] {
		name, _ := textOf(parts[0])
		switch name {
		case "requestId":
			found.requestID = parts[1]
		case "price":
			found.price = parts[1]
		case "amount":
			found.amount = parts[1]
		case "balanceAfter":
			found.balanceAfter = parts[1]
		case "lines":
			found.lines = parts[1]
		case "inputTokens":
			found.inputTokens = parts[1]
		case "cachedInputTokens":
			found.cachedInputTokens = parts[1]
		case "outputTokens":
			found.outputTokens = parts[1]
		case "input":
			found.input = parts[1]
		case "cachedInput":
			found.cachedInput = parts[1]
		case "output":
			found.output = parts[1]
		case "class":
			found.class = parts[1]
		case "tokens":
			found.tokens = parts[1]
		}
	}
	return found, err
}

// One line of an evidence file.
type event struct {
	previous, stream, kind string
	revision               int
	data                   []byte
}

func (r *jsonReader) readEvent(line []byte) (found event, err error) {
	parts, err := r.partsOf(line, '[')
	if err != nil || len(parts) != 7 {
		return found, errors.New("no event")
	}
	for i, part := range parts {
		if (part.Kind() == '"') == (i == 2) {
			return found, errors.New("no event")
		}
	}
	found.previous, _ = textOf(parts[0])
	found.stream, _ = textOf(parts[1])
	found.kind, _ = textOf(parts[4])
	found.data, err = jsontext.AppendUnquote(make([]byte, 0, len(parts[5])), parts[5])
	if err != nil {
		return found, err
	}
	revision, err := countOf(parts[2])
	found.revision = int(revision)
	return found, err
}

func textOf(part jsontext.Value) (string, bool) {
	if part.Kind() != '"' {
		return "", false
	}
	if bytes.IndexByte(part, '\\') < 0 {
		return string(part[1 : len(part)-1]), true
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(part)), part)
	return string(text), err == nil
}

// Nil unless all of them are there, and amounts: whole numbers in decimal, of at most 40 digits.
func amounts(parts ...jsontext.Value) []*big.Int {
	all := make([]*big.Int, len(parts))
	for i, part := range parts {
		text, isText := textOf(part)
		digits := strings.TrimPrefix(text, "-")
		if !isText || len(digits) < 1 || len(digits) > 40 || strings.Trim(digits, "0123456789") != "" {
			return nil
		}
		if short, err := strconv.ParseInt(text, 10, 64); err == nil {
			all[i] = big.NewInt(short)
		} else {
			all[i], _ = new(big.Int).SetString(text, 10)
		}
	}
	return all
}

// Nil unless all of them are there, and counts.
func tokens(parts ...jsontext.Value) []int64 {
	all := make([]int64, len(parts))
	for i, part := range parts {
		count, err := countOf(part)
		if err != nil {
			return nil
		}
		all[i] = count
	}
	return all
}

// Whole numbers from 0 on that every language can hold.
func countOf(part []byte) (int64, error) {
	count, err := strconv.ParseInt(string(part), 10, 64)
	if err == nil && (count < 0 || count >= 1<<53) {
		err = errors.New("no count")
	}
	return count, err
}
