package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"runtime"
)

const batchLines = 256

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
			texts := readTexts(lines)
			if len(texts) == 0 {
				return
			}
			parsed := make(chan []read, 1)
			batches <- parsed
			go func() { parsed <- readLines(texts) }()
		}
	}()
	return batches
}

// With their line feeds, which only the last of the file may lack.
func readTexts(lines *bufio.Reader) [][]byte {
	texts := make([][]byte, 0, batchLines)
	for len(texts) < batchLines {
		text, err := lines.ReadBytes('\n')
		if len(text) > 0 {
			texts = append(texts, text)
		}
		if err != nil {
			break
		}
	}
	return texts
}

func readLines(texts [][]byte) []read {
	batch := make([]read, len(texts))
	for i, text := range texts {
		if !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		line := text[:len(text)-1]
		found, err := readEvent(line)
		batch[i] = read{event: found, digest: sha256.Sum256(line), isEvent: err == nil}
		if err == nil {
			batch[i].claim = readClaim(string(found.kind), found.data)
		}
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
