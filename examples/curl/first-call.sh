curl http://127.0.0.1:8080/v1/chat/completions \
  -H "Authorization: Bearer $SVC_KEY" \
  -H "Content-Type: application/json" \
  -d '{"model": "svc-beta", "messages": [{"role": "user", "content": "What is the capital of France?"}]}'
