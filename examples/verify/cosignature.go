package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const cosignatureV1 = 4

// The key of a witness, which sumdb/note does not know: https://c2sp.org/tlog-cosignature.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func newWitness(text string) (w witness, err error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 {
		return w, errors.New("no key")
	}
	raw, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(raw) != 1+ed25519.PublicKeySize || raw[0] != cosignatureV1 {
		return w, errors.New("no key of a witness")
	}
	id := sha256.Sum256(append([]byte(parts[0]+"\n"), raw...))
	if fmt.Sprintf("%x", id[:4]) != parts[1] {
		return w, errors.New("the id does not fit the key")
	}
	return witness{parts[0], binary.BigEndian.Uint32(id[:4]), raw[1:]}, nil
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.hash }

func (w witness) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	said := fmt.Appendf(nil, "cosignature/v1\ntime %d\n", time)
	return ed25519.Verify(w.key, bytes.Join([][]byte{said, text}, nil), signature[8:])
}

// Whether the witness has signed the note; an error when its signature does not hold.
func isCosigned(text, key string) (bool, error) {
	w, err := newWitness(key)
	if err != nil {
		return false, err
	}
	_, err = openNote(text, []note.Verifier{w})
	var unverified *note.UnverifiedNoteError
	if errors.As(err, &unverified) {
		return false, nil
	}
	return err == nil, err
}
