module svc.example/verify

go 1.26.0

require (
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.42.0
)

require github.com/go-json-experiment/json v1.27.2
