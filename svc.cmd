@node -- "%~dp0services\cli\bin\svc.js" %*
