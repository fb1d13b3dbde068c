package main

import (
	"bufio"
	"crypto/sha256"
)

const batchLines = 256

// A line after the header, read ahead of whoever verifies it.
type read struct {
	event   event
	digest  [sha256.Size]byte
	isEvent bool
}

// Reads and hashes lines beside the verification, so that both have a processor. To be read to its
// end, or the program ends.
func readAhead(lines *bufio.Reader) <-chan []read {
	batches := make(chan []read, 8)
	go func() {
		defer close(batches)
		for {
			batch := make([]read, 0, batchLines)
			for len(batch) < batchLines {
				line, err := lines.ReadBytes('\n')
				if len(line) == 0 {
					batches <- batch
					return
				}
				batch = append(batch, readLine(line, err == nil))
			}
			batches <- batch
		}
	}()
	return batches
}

func readLine(line []byte, isWhole bool) read {
	if !isWhole {
		return read{}
	}
	found, err := readEvent(line)
	return read{found, sha256.Sum256(line[:len(line)-1]), err == nil}
}

// The lines one by one; nil behind the last.
type lineReader struct {
	batches <-chan []read
	batch   []read
}

func (r *lineReader) next() *read {
	for len(r.batch) == 0 {
		batch, more := <-r.batches
		if !more {
			return nil
		}
		r.batch = batch
	}
	first := &r.batch[0]
	r.batch = r.batch[1:]
	return first
}
