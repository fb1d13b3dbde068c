package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"io"
	"runtime"
)

const (
	batchBytes = 1 << 18
	// What is longer is no line of an evidence file.
	lineBytesMax = 1 << 22
)

// A line after the header, read ahead of whoever verifies it.
type read struct {
	event   event
	claim   claim
	digest  [sha256.Size]byte
	isEvent bool
}

// Reads lines, and has them parsed and hashed on all processors, beside the verification. What it
// gives comes in the order of the lines, and is to be read to its end, or the program ends.
func readAhead(lines *bufio.Reader) <-chan (<-chan []read) {
	batches := make(chan (<-chan []read), runtime.GOMAXPROCS(0)+1)
	go func() {
		defer close(batches)
		for {
			text := readBatch(lines)
			if len(text) == 0 {
				return
			}
			parsed := make(chan []read, 1)
			batches <- parsed
			go func() { parsed <- readLines(text) }()
		}
	}()
	return batches
}

// Whole lines, but for the end of a file that does not end with a line feed.
func readBatch(lines *bufio.Reader) []byte {
	text := make([]byte, batchBytes)
	count, err := io.ReadFull(lines, text)
	text = text[:count]
	if err == nil {
		rest, _ := lines.ReadBytes('\n')
		text = append(text, rest...)
	}
	return text
}

func readLines(text []byte) (batch []read) {
	var from jsonReader
	for len(text) > 0 {
		line, rest, isWhole := bytes.Cut(text, []byte("\n"))
		text = rest
		if !isWhole {
			return append(batch, read{})
		}
		found, err := from.readEvent(line)
		next := read{event: found, digest: sha256.Sum256(line), isEvent: err == nil && len(line) <= lineBytesMax}
		if next.isEvent {
			next.claim = readClaim(found.kind, found.data, &from)
		}
		batch = append(batch, next)
	}
	return batch
}

// The lines one by one; nil behind the last.
type lineReader struct {
	batches <-chan (<-chan []read)
	batch   []read
}

func (r *lineReader) next() *read {
	for len(r.batch) == 0 {
		parsed, more := <-r.batches
		if !more {
			return nil
		}
		r.batch = <-parsed
	}
	first := &r.batch[0]
	r.batch = r.batch[1:]
	return first
}
