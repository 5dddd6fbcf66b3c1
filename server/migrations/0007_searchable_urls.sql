-- What a task asks for is encrypted. Beside it only its origin and path stay readable, for searching: a query may
-- hold a token. The whole URLs of earlier tasks are in their requests.
update tasks set url = '';
