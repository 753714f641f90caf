/** Secrets in the places where people leave them, and what only looks like one. Values are made up here, of no one's. */

let state = 20261122
/** The next characters of a fixed sequence. */
export const some = (length: number, from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"): string =>
  Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return from[(state >> 8) % from.length]!
  }).join("")
export const hex = (length: number) => some(length, "0123456789abcdef")
export const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`

/** What it is, what stands before it, the secret, what stands after it. */
export const telling: ReadonlyArray<readonly [name: string, before: string, secret: string, after: string]> = [
  ["a key in a header", "x-api-key: ", `sk-ant-api03-${some(90)}`, "\n"],
  ["a key in a variable", "OPENAI_API_KEY=", `sk-svcacct-${some(80)}`, ""],
  ["an OpenRouter key", "key ", `sk-or-v1-${hex(64)}`, " ok"],
  ["a Groq key", "token ", `gsk_${some(52)}`, ""],
  ["a GitHub token in a URL", "remote: https://x:", `gho_${some(36)}`, "@github.com/a/b"],
  ["a GitLab token in a URL", "git clone https://oauth2:", `glpat-${some(20)}`, "@gitlab.com/x"],
  ["a Hugging Face token", "HF=", `hf_${some(34)}`, ""],
  ["a Google token", "", `ya29.${some(60)}`, " x"],
  ["an OpenSSH key", "", `-----BEGIN OPENSSH PRIVATE KEY-----\n${some(70)}\n${some(40)}\n-----END OPENSSH PRIVATE KEY-----`, "\nnext"],
  ["a private key that was cut", "a ", `-----BEGIN EC PRIVATE KEY-----\n${some(64)}`, ""],
  ["a JWT", "jwt ", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${some(43)}`, " end"],
  ["basic authorisation", "Authorization: Basic ", btoa(`user:${some(12)}`), ""],
  ["a token in JSON", "\"Authorization\": \"Bearer ", some(40), "\","],
  ["a bearer of curl", "curl -H 'Authorization: Bearer ", some(32), "' https://x.test"],
  ["a password of curl", "curl -u admin:", some(12), " https://x.test"],
  ["a password of a URL", "mysql://root:", `p4ss-${some(5)}`, "@127.0.0.1:3306/db"],
  ["a password of a URL without a user", "redis://:", some(20), "@cache.test:6379/0"],
  ["a cookie", "Cookie: theme=dark; session=", some(32), ""],
  ["a cookie that is set", "Set-Cookie: sid=", some(32), "; Path=/; HttpOnly"],
  ["a token of npm's settings", "//registry.example.org/:_authToken=", uuid(), ""],
  ["a PyPI token", "", `pypi-AgEIcHlwaS5vcmc${some(80)}`, ""],
  ["a restricted Stripe key", "", `rk_live_${some(24)}`, ""],
  ["a webhook of Slack", "https://", `hooks.slack.com/services/T0${some(8)}/B0${some(8)}/${some(24)}`, ""],
  ["a bot of Telegram", "bot", `123456789:AA${some(33)}`, "/getMe"],
  ["a weak password in YAML", "password: ", "hunter2", ""],
  ["a password in JSON", "{\"db_password\":\"", "abcdefgh1", "\"}"],
  ["a password before a command", "PGPASSWORD=", "postgrespw", " psql"],
  ["a passphrase with spaces", "export DB_PASS='", "my pass phrase 1", "'"],
  ["a password in properties", "spring.datasource.password=", "qwe123rty", ""],
  ["a hex key beside its name", "DD_API_KEY=", hex(32), ""],
  ["a secret of a framework", "secret_key_base: ", hex(128), ""],
  ["a storage key", "AccountKey=", `${some(86)}==`, ";EndpointSuffix=x"],
  ["a signature in a query", "https://b.test/k?X-Amz-Signature=", hex(64), "&X-Amz-Expires=3600"],
  ["a token in a query", "https://api.test/v1?access_token=", some(24), "&q=1"],
  ["a secret in a form", "client_secret=", some(24), "&grant_type=x"],
  ["a line of .netrc", "machine github.com login me password ", some(20), ""],
  ["a line of .pgpass", "db.test:5432:app:me:", some(10), ""],
  ["an option with its value", "mysql --user=root --password=", "rootpw12", ""],
  ["an option and its value", "mysql --user root --password ", "rootpw12", " x"],
  ["a line of a diff", "+API_TOKEN=", some(24), ""],
  ["a constant", "const apiKey = \"", some(24), "\""],
  ["an element", "<password>", "hunter22", "</password>"],
  ["a key of Age", "", `AGE-SECRET-KEY-1${some(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`, ""],
  ["a key of another provider", "", `xai-${some(80)}`, ""],
  ["a key without a prefix of its own", "deepseek ", `sk-${hex(32)}`, ""],
  ["a temporary AWS id", "AWS ", `ASIA${some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`, ""],
  ["an AWS secret in JSON", "\"SecretAccessKey\": \"", some(40), "\","],
  ["a piece of a key in an error", "invalid x-api-key ", `sk-ant-api03-${some(6)}`, "…"],
  ["a value in colour", "TOKEN=\x1b[1m", some(30), "\x1b[0m"],
  ["a header of GitLab", "PRIVATE-TOKEN: ", some(20), ""],
  ["a header of Vault", "X-Vault-Token: ", `s.${some(24)}`, ""],
  ["a weak secret in a variable", "JWT_SECRET=", "keyboardcat", ""],
  ["a connection string", "Server=db;User Id=sa;Password=", "Passw0rd!", ";"],
  ["a hash of Ruby", ":password => \"", "hunter22", "\""],
  ["a subscript", "os.environ[\"API_KEY\"] = \"", some(20), "\""],
  ["a sentence", "The password is: ", "hunter2x9", ""]
]

export const harmless: ReadonlyArray<string> = [
  "integrity: sha512-9kqEvb1Nlx7xV2sHcYfmCz==", `"integrity": "sha512-${some(86)}=="`, "md5: d41d8cd98f00b204e9800998ecf8427e",
  "image: app@sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", "https://github.com/a/b/commit/86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
  "OPENAI_API_KEY=sk-...", "OPENAI_API_KEY=your-key-here", "API_KEY=xxxxxxxxxxxxxxxx", "api_key: ${API_KEY}", "token: $TOKEN", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "token: ${{ secrets.NPM_TOKEN }}",
  "password: process.env.DB_PASSWORD", "const token = await auth.getToken()", "password?: string;", "readonly apiKey: Redacted.Redacted", "apiKey: config.apiKey,",
  "secret = secrets.token_hex(32)", "expect(token).toBe(undefined)", "if (password === undefined) return", "const secret = crypto.randomBytes(32).toString('hex')", "auth: OAuth2Client",
  "max_tokens: 4096", "\"total_tokens\": 99999", "tokenizer: cl100k_base", "primary_key: user_id", "public_key: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7", "cache_key: v1-abc123",
  "Authorization: Bearer <token>", "Authorization: Bearer YOUR_TOKEN", "password: Enter your password", "forgot password? click here", "the secret: be kind",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", "chatcmpl-9abcDEF123456789", "http://localhost:3000/path@2", "git@github.com:a/b.git",
  "token_type: bearer", "keyboard: qwerty", "tests pass: 1234567", "bypass: enabled1", "npm_config_registry=https://registry.example.org", "npm_package_devDependencies_typescript",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBg\n-----END PUBLIC KEY-----", "session_id: 01939b1e-7c1a-7000-8000-000000000000", "secretName: my-app-tls-2", "SELECT password FROM users",
  "password=\"\"", "Bearer token authentication", "token => token.value", "credentials: \"same-origin\"", "--token <token>", "-p, --password string   the password", "key={item.id}", "https://x.test/?key=home&tab=1"
]
