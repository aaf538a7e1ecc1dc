import { describe, expect, test, vi } from "vitest";
import { growthOver, linearGrowthMax } from "../../../test/processor-time.ts";
import { randomFrom, randomMatch } from "../../../test/random-key.ts";
import { toSourceSpan } from "../text/reading.ts";
import { readCanonical, readText } from "../text/readings.ts";
import { namedLengthMin } from "./assignments.ts";
import { secretFormats } from "./compile-formats.ts";
import { contextFormats } from "./context-formats.ts";
import { findSecrets, findSecretSpans, type SecretScope } from "./find-secrets.ts";
import { anchoredFormats, formats } from "./formats.ts";

const keysPerKind = 200;
const random = randomFrom(11);

function found(text: string, scope: SecretScope = "all"): { kind: string; written: string }[] {
  const { plain } = readCanonical(text);
  return findSecrets(plain, scope).map(({ kind, start: from, end: to }) => {
    const { start, end } = toSourceSpan(plain, from, to);
    return { kind, written: text.slice(start, end) };
  });
}

function rows(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.split(/ +/u));
}

/** Joined here, so that no file holds what looks like a credential. */
const join = (...parts: readonly string[]): string => parts.join("");

function rate(make: () => { text: string; key: string }, scopes: readonly SecretScope[] = ["all"]): number {
  let hits = 0;
  for (let index = 0; index < keysPerKind; index += 1) {
    const { text, key } = make();
    if (scopes.every((scope) => found(text, scope).some(({ written }) => written === key))) hits += 1;
  }
  return hits / keysPerKind;
}

/** Credentials that their own form gives away are found in both scopes, though the narrower one looks at long runs only. */
const bothScopes = ["all", "issued"] as const;

/** Places as keys stand in. */
const places = [
  (key: string) => `the key is ${key}, keep it`,
  (key: string) => `TOKEN=${key}\n`,
  (key: string) => `"key": "${key}"`,
  (key: string) => `(${key})`,
  (key: string) => `我的密钥是${key}。`,
];

function place(key: string): { text: string; key: string } {
  return { text: (places[Math.floor(random() * places.length)] ?? String)(key), key };
}

test("the rules have at least 150 kinds", () => {
  expect(secretFormats().kinds.length).toBeGreaterThanOrEqual(150);
});

test.each(rows(formats))("%s: 200 random keys (%s)", (_, prefixes = "", rest = "") => {
  for (const prefix of prefixes.split(",").slice(0, 4)) {
    expect(rate(() => place(prefix + randomMatch(rest, random)), bothScopes)).toBeGreaterThanOrEqual(0.99);
  }
});

test.each(rows(anchoredFormats))("%s: 200 random keys (%s)", (...[, anchor = "", before = "", after = ""]) => {
  const make = () => place(randomMatch(before, random) + anchor + randomMatch(after, random));
  expect(rate(make, bothScopes)).toBeGreaterThanOrEqual(0.99);
});

test.each(rows(contextFormats))("%s: 200 random keys under a name (%s)", (_, words = "", value = "") => {
  const [word = ""] = words.split(",");
  expect(
    rate(() => {
      const key = randomMatch(value, random);
      // Shorter values are passed over before any format is looked at.
      expect(key.length).toBeGreaterThanOrEqual(namedLengthMin);
      const name = /key|token|secret|ret$/u.test(word) ? word : `${word}_api_key`;
      const texts = [
        `${name.toUpperCase()}=${key}\n`,
        `"${name}": "${key}"`,
        `export ${name}='${key}'`,
        `${name} => ${key}`,
      ];
      return { text: texts[Math.floor(random() * texts.length)] ?? "", key };
    }),
  ).toBeGreaterThanOrEqual(0.98);
});

const password = "[A-Za-z0-9!@#%^&*+=-]{10,20}[0-9][A-Z]";

test.each([
  ["password", (key: string) => `password=${key}`],
  ["password in JSON", (key: string) => `{"db_password": "${key}"}`],
  ["password in YAML", (key: string) => `  passwd: ${key}\n`],
  ["password in code", (key: string) => `const PASSWORD = '${key}';`],
  ["password in XML", (key: string) => `<server><password>${key}</password></server>`],
  ["password of a command's user", (key: string) => `curl -u admin:${key} https://api.example.org`],
  ["password in German", (key: string) => `Passwort: ${key}`],
  ["password in French", (key: string) => `mot de passe : ${key}`],
  ["password in Russian", (key: string) => `Пароль: ${key}`],
  ["password in Spanish", (key: string) => `contraseña=${key}`],
  ["password in Chinese", (key: string) => `密码：${key}`],
  ["password in Japanese", (key: string) => `パスワード: ${key}`],
])("%s: 200 random ones", (_, write) => {
  expect(
    rate(() => {
      const key = randomMatch(`[A-Za-z]${password}`, random);
      return { text: write(key), key };
    }),
  ).toBeGreaterThanOrEqual(0.99);
});

/** Characters that delimit values elsewhere, or that are not of ASCII, and all that passwords usually have. */
const ordinarySigns = Array.from("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~éßñ€£§ж密");

/** A password with a few of the signs inside. */
function signedPassword(signs: readonly string[]): string {
  const pieces = Array.from({ length: 3 }, () => randomMatch("[A-Za-z][a-z][0-9][A-Z][a-z]", random));
  return pieces.reduce((joined, piece) => joined + (signs[Math.floor(random() * signs.length)] ?? "") + piece);
}

const asIs = (key: string): string => key;
const asJson = (key: string): string => JSON.stringify(key).slice(1, -1);

test.each([
  ["in JSON", '{"user":"ann","password":"', '","host":"db"}', asJson],
  [
    "in JSON in JSON",
    String.raw`{"text":"{\"password\":\"`,
    String.raw`\",\"host\":\"db\"}"}`,
    (key: string) => asJson(asJson(key)),
  ],
  [
    "in JSON in JSON in JSON, with blanks",
    String.raw`{"text": "{\"text\": \"{\\\"password\\\": \\\"`,
    String.raw`\\\", \\\"host\\\": \\\"db\\\"}\"}"}`,
    (key: string) => asJson(asJson(asJson(key))),
  ],
  ["in a variable", 'DB_PASSWORD="', '"\n', asJson],
  ["in YAML", "  password: '", "'\n", (key: string) => key.replaceAll("'", "''")],
  ["in XML", "<password>", "</password>", (key: string) => key.replaceAll("<", "&lt;")],
  ["in typographic quotes", "Password: “", "”, as before", asIs],
])("a password with ordinary signs is found whole %s: 200 random ones", (_, before, after, encode) => {
  for (let index = 0; index < keysPerKind; index += 1) {
    const written = encode(signedPassword(ordinarySigns));
    expect(found(`${before}${written}${after}`)).toEqual([{ kind: "password", written }]);
  }
});

/** JSON in a string of JSON, so many times. */
function nest(value: object, levels: number): string {
  const inner = JSON.stringify(value, undefined, 2);
  return levels === 0 ? inner : nest({ text: inner }, levels - 1);
}

test.each([0, 1, 2, 3])("credentials are found in JSON that is a string of JSON, %i times", (levels) => {
  expect(found(nest({ user: "ann", password: "Tr0ub4dor3x" }, levels))).toEqual([
    { kind: "password", written: "Tr0ub4dor3x" },
  ]);
  expect(found(nest({ api_key: "a8Hk29sLq0ZpX73b", n: 1 }, levels))).toEqual([
    { kind: "generic_secret", written: "a8Hk29sLq0ZpX73b" },
  ]);
  expect(found(nest({ n: 1, pwd: 84_012_345 }, levels))).toEqual([{ kind: "password", written: "84012345" }]);
});

test.each([
  ['{"password": 84012345}', "84012345"],
  ['{"passcode" : 840123, "next": 1}', "840123"],
  ["{'db_passwd': '84012345'}", "84012345"],
  ['password: "84012345"', "84012345"],
  ["<password>84012345</password>", "84012345"],
])("a password of digits alone is found as the value of a member: %s", (text, written) => {
  expect(found(text)).toEqual([{ kind: "password", written }]);
});

test.each([
  ["password", "Tr0ub4dor3x", "password"],
  ["user[password]", "my Tr0ub4dor3x", undefined],
  ["user[password]", "Tr0ub4dor3x of ann", "password"],
  ["passcode", "84012345", "password"],
  ["api_key", "a8Hk29sLq0ZpX73b", "generic_secret"],
  ["password", "required", undefined],
  ["password", "[Password 1]", undefined],
  ["name", "Tr0ub4dor3x", undefined],
])("a field of a multipart form is judged by its name: %s, %s", (name, value, kind) => {
  const expected = kind === undefined ? [] : [{ kind, written: value }];
  const head = `Content-Disposition: form-data; name="${name}"`;
  expect(found(`--b\r\n${head}\r\n\r\n${value}\r\n--b--`)).toEqual(expected);
  expect(found(`--b\r\n${head}\r\nContent-Type: text/plain\r\n\r\n${value}\r\n--b--`)).toEqual(expected);
  expect(found(`--b\n${head.toLowerCase()}; size="9"\n\n${value}`)).toEqual(expected);
  expect(found(`--b\r\n${head}\r\n${value}`)).toEqual([]);
});

test("a password without quotes is found whole, if it does not read as code: 200 random ones", () => {
  const hits = Array.from({ length: keysPerKind }, () => {
    const written = signedPassword(ordinarySigns);
    return [`password=${written}\n`, `password: ${written}`, `my password is ${written} now`].every(
      (text) => found(text)[0]?.written === written,
    );
  });
  expect(hits.filter(Boolean).length / keysPerKind).toBeGreaterThanOrEqual(0.97);
});

test.each([
  ["password=Tr0ub4dor3x&next=/home?a=1", "Tr0ub4dor3x&next=/home?a=1"],
  ["GET /login?password=Tr0ub4dor3x&next=/home", "Tr0ub4dor3x"],
  ["Server=x;Password=Secr3t!a;Database=y", "Secr3t!a"],
  ["connect(password=Abc123x, host)", "Abc123x"],
  ["{password:a1b2c3d}", "a1b2c3d"],
  [String.raw`{"text":"password=Tr0ub4dor3x\nnext"}`, "Tr0ub4dor3x"],
  ["密码：Tr0ub4dor3x请用Chrome登录。", "Tr0ub4dor3x"],
  ["비밀번호: Tr0ub4dor3x를", "Tr0ub4dor3x"],
  ["<td>password: Tr0ub4dor3x</td>", "Tr0ub4dor3x"],
  ["<li>password: Tr0ub4dor3x<br>", "Tr0ub4dor3x"],
  ['user=x&password=Abc12345","b', "Abc12345"],
  ['password: "Tr0ub4 dor3x", "next": 1', "Tr0ub4 dor3x"],
  ['password: "Tr0ub4 dor3x\nnext', "Tr0ub4"],
  ["curl -u 'ann:Tr0ub4\"dor(3x' https://example.org", 'Tr0ub4"dor(3x'],
])("a password ends where its context ends it: %s", (text, written) => {
  expect(found(text)).toEqual([{ kind: "password", written }]);
});

test.each([
  ["in a sentence", (key: string) => `my password is ${key}.`],
  ["for something", (key: string) => `The password for the staging server is "${key}"`],
  ["in the past", (key: string) => `Passphrase was ${key}, now it is not.`],
  ["in quotes after its owner", (key: string) => `the password's "${key}"`],
  ["after a colon", (key: string) => `the password's: ${key}`],
  ["of a registry", (key: string) => `docker login -u ana -p ${key} registry.example.org`],
  ["of a registry by its long name", (key: string) => `podman login --password=${key} quay.example.org`],
])("a password %s: 200 random ones", (_, write) => {
  expect(
    rate(() => {
      const key = `${randomMatch("[A-Za-z]{3}[A-Za-z0-9]{6,12}", random)}7x`;
      return { text: write(key), key };
    }),
  ).toBeGreaterThanOrEqual(0.99);
});

test.each(["sha256Xq7pzT4k", "base12345", "Rsa-tiger9Lion", "aes9Tk2mz", "md5-Rk4!x9", "sha256_Hunter"])(
  "a password that begins like an algorithm is found: %s",
  (written) => {
    expect(found(`The password is ${written}.`)).toEqual([{ kind: "password", written }]);
  },
);

test("headers and addresses with credentials: 200 random ones of each", () => {
  expect(
    rate(() => {
      const key = randomMatch("[A-Za-z0-9_-]{32,60}", random);
      return { text: `Authorization: Bearer ${key}`, key };
    }),
  ).toBeGreaterThanOrEqual(0.99);
  expect(
    rate(() => {
      const key = Buffer.from(randomMatch("[a-z]{5,9}:[A-Za-z0-9]{8,20}", random)).toString("base64");
      return { text: `-H 'Authorization: Basic ${key}'`, key };
    }),
  ).toBeGreaterThanOrEqual(0.99);
  expect(
    rate(() => {
      const key = randomMatch("[A-Za-z0-9!_.-]{8,24}", random);
      return { text: `postgresql://app:${key}@db.example.org:5432/app`, key };
    }),
  ).toBeGreaterThanOrEqual(0.99);
});

test("generic keys under a name: 200 random ones", () => {
  expect(
    rate(() => {
      const key = randomMatch("[A-Za-z0-9]{24,48}", random);
      return { text: `client_secret: "${key}"`, key };
    }),
  ).toBeGreaterThanOrEqual(0.99);
});

test("private keys and Discord tokens", () => {
  const pem = join("-----BEGIN EC ", "PRIVATE KEY-----\nMHcCAQEEIB\n-----END EC ", "PRIVATE KEY-----");
  expect(found(`see ${pem}!`)).toEqual([{ kind: "private_key", written: pem }]);
  expect(
    rate(() => place(randomMatch("[MNO][A-Za-z0-9]{23,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9]{27,38}", random))),
  ).toBeGreaterThanOrEqual(0.99);
});

describe("texts that are not credentials", () => {
  const hex = (length: number): string => randomMatch(`[0-9a-f]{${length}}`, random);
  const base64 = (length: number): string => randomMatch(`[A-Za-z0-9+/]{${length}}`, random);
  const cases: readonly (readonly [string, () => string])[] = [
    ["UUIDs", () => `id: ${randomMatch("{uuid}", random)}, "key": "${randomMatch("{uuid}", random)}"`],
    ["hashes", () => `commit ${hex(40)}\nsha256: ${hex(64)}\nmd5=${hex(32)} "key": "${hex(64)}" etag="${hex(32)}"`],
    ["lock files", () => `resolution: {integrity: sha512-${base64(86)}==}\n"integrity": "sha1-${base64(27)}="`],
    ["go.sum", () => `github.com/a/b v1.2.3/go.mod h1:${base64(43)}=`],
    ["data addresses", () => `src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${base64(200)}"`],
    [
      "minified code",
      () =>
        `var a=e.token,t=n.key;password:r.password,secret:o(1),key:"${hex(6)}",api_key:void 0,Token=class{constructor(e){this.pwd=e}}`,
    ],
  ];
  test.each(cases)("%s", (_, make) => {
    for (let index = 0; index < 300; index += 1) expect(found(make())).toEqual([]);
  });

  test.each([
    "password: required",
    "Password: Please enter at least 8 characters.",
    "password=$DB_PASSWORD and token=${TOKEN}",
    'password: "********", secret: "<your secret>"',
    'password: "***"; password: [redacted]; password: "[Password 1]"; password: "(hidden by 2 rules)"; pwd: "<not shown 1>"',
    "password: !vault |\n  6638343\npasswd: !Ref DbPassword\npwd: !!str abc",
    'password: 84012345; {"pass": 84012345, "password": 1234, "password_age": 84012345, "pwd": 11111111}',
    "const password = getPassword(user1);",
    "this.password = config.password1;",
    "api_key=YOUR_API_KEY_HERE_123456",
    "secret-santa-2026-gift-exchange-list",
    'translation_key: "settings.account.password.reset-2fa-title"',
    "cache_key=user_profile_settings_2024_v2",
    "sk-learn-contrib-extra-package",
    "key-value-store-with-2-replicas-in-eu-west-1",
    "https://example.org:8080/path@2.0",
    "https://user:password@example.org",
    "{ credentials: RequestCredentials, secretAccessKey: options.secretAccessKey }",
    "const hasAccessKey = options.accessKeyId; pass = options?.negate",
    "uri://foo:bar@host",
    "npm_config_registry, hf_transfer, xai-explainability",
    "<password>required</password> <password>${env.DB_PASSWORD}</password> <secret>",
    "a => password > 12345678x; <b>password</b> hunter2hunter2",
    "docker run -u 1000:1000000 app; docker run --user=node:node; ssh -u me:",
    "Passwort: vergessen; mot de passe : oublié; Пароль: неверный; パスワード: 必須",
    "my password is secret; the password is case-sensitive; the password is 12characters; passphrase is base64-encoded",
    "The password is SHA-256 hashed before it is stored.",
    "password is Base64 encoded",
    "the password's sha256 hash",
    "the password's hunter22 owner",
    "The password is AES-256 encrypted.",
    "the password is PBKDF2 hashed; the password was argon2id hashed; the password is UTF-16 encoded",
    "The password is RFC2898 compliant.",
    "The password is SHA-512/256; the passphrase is PBKDF2-HMAC-SHA256, pwd is ISO-8859-1; pwd is aes-256-gcm",
    "the password is whirlp00l hashed and the passphrase is Punyc0de encoded",
    "docker run -p 8080:8080x app; docker login -p $TOKEN; ssh -p hunter2hunter2 host; mkdir -p a1b2c3d4e5",
    "the bearer of this letter; a basic requirement of Bearer tokens",
    "password = b64decode(x1); pwd: oauth2Client.password2; passwd=str2bytes(pw1); pass: i18n.t(key1)",
    "password: z.string().min(8), pwd: Vec<u8>, passwd: Option<String32>, password = input[0]",
    '"password": "(hidden1)", "password": "[redacted2]", "password": "{{ password1 }}", "password": "u-{name1}"',
    '"password": "form.errors.passwordTooShort8", "password": "FormErrors.tooShort"',
    '"パスワード": "8文字以上の英数字", "Пароль": "обязательно", "contraseña": "Campo obligatorio"',
    "minipass: ^7.1.3",
    '"generate-password": "^1.7.1", "minipass": "~5.0.0-rc.2", "random-password": ">=2.0.1", "zpass": "v1.20.3", "bypass": "1.x"',
    "      minipass: ^7.1.2 || ^8.0.0",
    '"pass":"128/130", "first_pass": "98.5%", pass: 12:30:45, pass=1,024/2,048',
    `AC${"0123456789abcdef".repeat(2)}`,
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

test.each([
  [join("gh", "p_", "a1B2".repeat(9)), "github_token"],
  [`Bearer ${join("abcDEF123456", "ghiJKL789mno", "PQR012stu")}`, "bearer_token"],
  ["docker login -u me -p Hunter2Secret9", "password"],
  [join("MTk4NjIyNDgzNDcx", "OTI1MjQ4.Cl2FMQ.", "ZnCjm1XVW7vRze4b7Cq4se7kKWsabcd"), "discord_token"],
  ["my password is Hunter2Secret9", "password"],
  ["password=Hunter2Secret9", "password"],
])("%s is found behind an escaped blank of JSON", (text, kind) => {
  const [value = ""] = text.split(/[ =]/u).slice(-1);
  for (const blank of ["\n", "\r\n", "\t"]) {
    expect(found(JSON.stringify(`run${blank}${text}`))).toEqual([{ kind, written: value }]);
  }
});

test.each([
  ["\n", "Hunter2Secret9"],
  ["\r\n\t", "Hunter2Secret9"],
  ["\t", "abcDEF123456ghiJKL789mno"],
])("a member's value is found behind blanks at its beginning: %j, %s", (blank, value) => {
  const name = value.startsWith("Hunter") ? "password" : "client_secret";
  const written = (text: string) => found(text).map((match) => match.written);
  expect(written(`"${name}": "${blank}${value}"`)).toEqual([value]);
  expect(written(`user: "me"\n${name}: "${blank}${value}${blank}"`)).toEqual([value]);
});

test.each([
  '{"password":""\n,"next":"Secret9x"}',
  '{"password":"\n","next":"Secret9x"}',
  'print("Enter password: "\n"Secret9x")',
  'SECRET=""\nDATABASE_HOST_1=abcDEF123456ghiJKL789mno',
])("an empty value has none of the line behind it: %j", (text) => {
  expect(found(text)).toEqual([]);
});

test.each([
  "User:\nana\nPassword:\n⟦Hunter2Secret9⟧\n\nRegards",
  "Passwort: \r\n  ⟦Hunter2!Secret⟧",
  String.raw`{"body":"Your password:\n⟦Hunter2Secret9⟧\nbye"}`,
  String.raw`{"body":"Your password:\n⟦Hunter2Secret9⟧"}`,
])("a password alone on the line behind its name is found: %s", (marked) => {
  const [, written] = /⟦(.*)⟧/u.exec(marked) ?? [];
  expect(found(marked.replaceAll(/[⟦⟧]/gu, ""))).toEqual([{ kind: "password", written }]);
});

test.each([
  "Password:\nat least 8characters",
  "password:\n  type1: string\n",
  "password:\n  secretKeyRef:\n    name: db2secret",
  "password:\n  !vault |\n",
  "pass:\n128/130\n",
  "password:\n\nHunter2Secret9",
  "password=\nHOST1=abc12345",
  "password:\nconfig.password1\n",
])("what else stands on the line behind a name is no password: %j", (text) => {
  expect(found(text)).toEqual([]);
});

const webToken = [
  join("eyJ", "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"),
  join("eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0"),
  "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c",
].join(".");

test.each([
  [`token=${webToken}&password=Hunter2Secret9`, [webToken, "Hunter2Secret9"]],
  [`password=Hunter2Secret9&token=${webToken}`, ["Hunter2Secret9", webToken]],
  [`token=${webToken}|password=Hunter2Secret9`, [webToken, "Hunter2Secret9"]],
  [`https://a.example/?token=${webToken}&password=Hunter2Secret9&x=1`, [webToken, "Hunter2Secret9"]],
  ["client_secret=abcDEF123456ghiJKL789mno&password=Hunter2Secret9", ["abcDEF123456ghiJKL789mno", "Hunter2Secret9"]],
  ["password=Hunter2Secret9&client_secret=abcDEF123456ghiJKL789mno", ["Hunter2Secret9", "abcDEF123456ghiJKL789mno"]],
  ["password=Hunter2&Secret9 and so on", ["Hunter2&Secret9"]],
])("each credential of a form's text is found: %s", (text, written) => {
  expect(found(text).map((match) => match.written)).toEqual(written);
});

test.each([
  ["https://user@mail.example:Hunter2Secret9@host.example/x", "Hunter2Secret9"],
  ["smtp://ana@mail.example:Hunter2Secret9@smtp.host.example:587", "Hunter2Secret9"],
  ["postgres://ana:Hunter2@Secret9@db.example/x", "Hunter2@Secret9"],
  ["ftp://ana:P@ssw0rd@files.example", "P@ssw0rd"],
  ["mongodb://ana:Hunter2Secret9@a.example:27017,b.example:27017/x", "Hunter2Secret9"],
  ["https://ana:Hunter2Secret9@host.example, ana@example.org", "Hunter2Secret9"],
])("a password in an address is found beside at signs: %s", (text, written) => {
  expect(found(text)).toEqual([{ kind: "url_password", written }]);
});

test.each([
  "https://git@host.example:22/a@b",
  "https://ana@host.example:8443",
  "ssh://git@host.example:team/a@b",
  "https://host.example:443?mail=ana@mail.example",
  "http://localhost:8080#ana@mail.example",
  "http://[2001:db8::1]:8080?to=ana@mail.example",
])("a user and a port are no password: %s", (text) => {
  expect(found(text)).toEqual([]);
});

test("a password of more digits than a port has is found before a question mark", () => {
  expect(found("https://ana:840123?Hunter2@host.example")).toEqual([
    { kind: "url_password", written: "840123?Hunter2" },
  ]);
});

test.each(["^Hunter7.1.3", "7.1.3-Hunter2x.9y", "128/130a", "v1.Tr0ub4dor", "1.2.3.4.5z"])(
  "a password that only begins as a version or a share is found: %s",
  (value) => {
    expect(found(JSON.stringify({ pass: value }))).toEqual([{ kind: "password", written: value }]);
  },
);

test("a password of digits and signs is found behind a name that is no count", () => {
  expect(found('"password":"128/130"')).toEqual([{ kind: "password", written: "128/130" }]);
});

test("of two that overlap, before and after decoding, everything is found", () => {
  const all = (text: string) =>
    findSecretSpans(readText(text), "all").map(({ kind, start, end }) => ({ kind, written: text.slice(start, end) }));
  const token = join("sk-proj-", "3a2f2f757365723aQ7", "%68%75%6e%74%65%72%32");
  expect(all(token)).toEqual([{ kind: "openai_key", written: token }]);
  const key = join("-----BEGIN ", "PRIVATE KEY-----", "MIIBa1B2c3D4", "-----END ", "PRIVATE KEY-----");
  expect(all(`password=%2c${key}`)).toEqual([
    { kind: "password", written: "%2c-----BEGIN" },
    { kind: "private_key", written: key.slice("-----BEGIN".length) },
  ]);
});

test("only credentials with a distinctive form are found where names are ignored", () => {
  expect(found(`password=Tr0ub4dor&3x and ${join("gh", "p_", "a1B2".repeat(9))}`, "issued")).toEqual([
    { kind: "github_token", written: join("gh", "p_", "a1B2".repeat(9)) },
  ]);
});

test.each([
  "=",
  ":",
  "a=",
  "key=",
  "token:",
  "://a:",
  "Bearer ",
  "sk-",
  "-----BEGIN ",
  ":AA",
  "Q~",
  ".atlasv1.",
  "_",
  "M.a",
  "eyJ-",
  "eyJa1-",
  "eyJ-eyJa1b2c3d4e5.",
  "-----B",
])("takes time in proportion to the length of a text of %j", (piece) => {
  const growth = growthOver(1_000_000, (length) => {
    const { plain } = readCanonical(piece.repeat(length / piece.length));
    return () => findSecrets(plain, "all");
  });
  expect(growth).toBeLessThan(linearGrowthMax);
});

/** Units that a search copies out of a reading that is no string yet: nearly all that it costs. */
function copied(text: string): number {
  const { plain } = readCanonical(text);
  expect(plain.text).toBeUndefined();
  const from = vi.spyOn(Buffer, "from");
  try {
    findSecrets(plain, "all");
    const calls: readonly (readonly unknown[])[] = from.mock.calls;
    return calls.reduce((sum, [, , bytes]) => sum + Number(bytes) / 2, 0);
  } finally {
    from.mockRestore();
  }
}

test.each([
  "How do I check that a file starts with KEY in Python? Please answer shortly.",
  "The first line is `KEY`, the last one `-----END PRIVATE KEY-----`.",
  '{"expect":"KEY","then":"run tests","n":5}',
  "KEY KEY",
  "KEY\n\n(the key was here)",
])("the first line of a private key is none where it is mentioned: %j", (text) => {
  const { plain } = readCanonical(text.replaceAll("KEY", join("-----BEGIN ", "PRIVATE KEY-----")));
  expect(findSecrets(plain, "all").filter(({ end, start }) => end - start > 40)).toEqual([]);
});

test.each([
  ["\n", ""],
  ["\\n", ""],
  ['\\n" +\n  "', ""],
  ["\r\n", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"],
  ["\n", "Version: GnuPG v2\n\n"],
])("a private key without its last line runs to the end, behind %j and %j", (line, headers) => {
  const key = join("-----BEGIN ", "RSA PRIVATE KEY-----", line, headers, "MIIEowIBAAKCAQEA0Z3VS5JJcds3", "\nAb1/cut");
  const { plain } = readCanonical(`see ${key}`);
  expect(findSecrets(plain, "all")).toEqual([{ kind: "private_key", start: 4, end: 4 + key.length }]);
});

const emptyKey = join("-----BEGIN ", "PRIVATE KEY-----", "-----END ", "PRIVATE KEY-----");

const heads = "eyJ-".repeat(400);

test.each([
  ["dashes and a B", "-----B"],
  ["beginnings", "-----BEGIN "],
  ["beginnings of keys", "-----BEGIN RSA "],
  ["empty keys", `${emptyKey} `],
  ["first lines without a key", `${emptyKey.slice(0, 27)}!`],
  ["web tokens' beginnings", "eyJ-"],
  ["their beginnings with a digit", "eyJa1-"],
  ["first parts", `${heads}.`],
  ["first parts with a beginning behind", `${heads}.eyJ `],
  ["tokens without an end", "eyJa1b2c3d4e5.eyJa1b2c3d4e5.-. "],
  ["long tokens without an end", `${heads}.eyJ${"a1".repeat(1900)}. `],
])("the copied length of a long text of %s grows linearly", (_, piece) => {
  const [short, long] = [60_000, 120_000].map((length) =>
    copied(`e\u0301\uFF21 ${piece.repeat(Math.ceil(length / piece.length))}`),
  );
  expect(long).toBeLessThanOrEqual(20 * 120_000);
  expect(long).toBeLessThanOrEqual(3 * (short ?? 0) + 1000);
});

test("private keys and web tokens are found complete before the text is a string", () => {
  const pems = [
    join("-----BEGIN ", "PRIVATE KEY-----\n", "MIIB".repeat(1000), "\n-----END ", "PRIVATE KEY-----"),
    emptyKey,
    join("-----BEGIN ", "PRIVATE KEY-----\n", "MIIB".repeat(1000), "\n-----END ", "CUT"),
  ];
  for (const pem of pems) {
    const before = "e\u0301\uFF21 ";
    const { plain } = readCanonical(before + pem);
    const [start, end] = [3, 3 + pem.length];
    expect(findSecrets(plain, "all")).toEqual([{ kind: "private_key", start, end }]);
  }
  const token = join("ey", "Ja1b2c3d4e5.", "ey", "Ja1b2c3d4e5.", "a1b2c3d4e5");
  const late = `${"eyJ-".repeat(2_100)}${token}`;
  expect(found(`${"eyJ-".repeat(600)}! ${token}`)).toEqual([{ kind: "json_web_token", written: token }]);
  // A first part of at most 2,000 characters: the token begins at the first place from which there are no more.
  expect(found(late)).toEqual([{ kind: "json_web_token", written: late.slice(-(token.length + 4 * 497)) }]);
  expect(found(`${token.slice(0, 13)}.eyJ ${token}`)).toEqual([{ kind: "json_web_token", written: token }]);
});
