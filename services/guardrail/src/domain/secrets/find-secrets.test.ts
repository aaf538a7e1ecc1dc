import { describe, expect, test, vi } from "vitest";
import { randomFrom, randomMatch } from "../../../test/random-key.ts";
import { readCanonical } from "../text/readings.ts";
import { namedLengthMin } from "./assignments.ts";
import { secretFormats } from "./compile-formats.ts";
import { contextFormats } from "./context-formats.ts";
import { findSecrets, type SecretScope } from "./find-secrets.ts";
import { anchoredFormats, formats } from "./formats.ts";

const keysPerKind = 200;
const random = randomFrom(11);

function found(text: string, scope: SecretScope = "all"): { kind: string; written: string }[] {
  const { plain } = readCanonical(text);
  return findSecrets(plain, scope).map(({ kind, start, end }) => ({ kind, written: text.slice(start, end) }));
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
    `AC${"0123456789abcdef".repeat(2)}`,
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });
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
])("a million characters of %j take little time", (piece) => {
  const { plain } = readCanonical(piece.repeat(1_000_000 / piece.length));
  const before = process.threadCpuUsage();
  findSecrets(plain, "all");
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(400);
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

const emptyKey = join("-----BEGIN ", "PRIVATE KEY-----", "-----END ", "PRIVATE KEY-----");

const heads = "eyJ-".repeat(400);

test.each([
  ["dashes and a B", "-----B"],
  ["beginnings", "-----BEGIN "],
  ["beginnings of keys", "-----BEGIN RSA "],
  ["empty keys", `${emptyKey} `],
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
