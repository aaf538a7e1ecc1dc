import { randomUUID } from "node:crypto";
import { type Keyring, parseKeyring, seal, Secret, SecretSource } from "@gatehouse/vault";
import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSecretExport, type OpenDatabase, type SealedColumn } from "../src/index.ts";
import { createWorld, log, type World } from "./test-world.ts";

const keyringOf = (byte: number) => parseKeyring(new Secret(`k${byte}:${Buffer.alloc(32, byte).toString("base64")}`));
const references = new SecretSource({ env: { OPEN_KEY: "sk-1" }, envPrefix: "OPEN_", folder: undefined });
const keyring: Keyring = { ...keyringOf(1), references };
const placeOf = (uuid: string) => `service.things/${uuid}`;
const query = "SELECT uuid, sealed, 'thing/' || name AS place FROM things";
const columns = (hasReferences: boolean): readonly SealedColumn[] => [
  { table: "things", column: "unlisted", placeOf },
  { table: "things", column: "sealed", placeOf, backup: { query, hasReferences } },
  { table: "things", column: "sealed", placeOf, backup: { query: `${query} WHERE false`, hasReferences } },
];
let world: World;
let database: OpenDatabase;

beforeAll(async () => {
  world = await createWorld();
  database = world.open();
  await database.pool.query("CREATE SCHEMA service");
  await database.pool.query("CREATE TABLE things (uuid uuid PRIMARY KEY, name text, sealed text)");
});
beforeEach(async () => await database.pool.query("DELETE FROM things"));
afterAll(async () => await world.close());

async function store(name: string, secret: Secret, by = keyring): Promise<void> {
  const uuid = randomUUID();
  const sealed = seal(by, secret, placeOf(uuid));
  await database.pool.query("INSERT INTO things VALUES ($1, $2, $3)", [uuid, name, sealed]);
}

async function exportAll(hasReferences = false) {
  const identity = await generateX25519Identity();
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const recipient = await identityToRecipient(identity);
  const exportSecrets = createSecretExport(database, keyring, columns(hasReferences), log);
  const found: Record<string, string> = {};
  let [cursor, pages] = ["", 0];
  do {
    const page = await exportSecrets(recipient, cursor);
    if (page.sealed !== "")
      Object.assign(found, JSON.parse(await decrypter.decrypt(armor.decode(page.sealed), "text")));
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== "");
  return { found, pages };
}

test("every value of a column in backups is exported, page by page", async () => {
  const names = Array.from({ length: 120 }, (_none, index) => `t${index}`);
  for (const name of names) await store(name, new Secret(`secret of ${name}`));
  const { found, pages } = await exportAll();
  expect(found).toEqual(Object.fromEntries(names.map((name) => [`thing/${name}`, `secret of ${name}`])));
  expect(pages).toBe(4);
});

test("a value that no key opens is left out; a reference is exported only if references are asked for", async () => {
  await store("sealed", new Secret("sk-2"));
  await store("foreign", new Secret("sk-3"), keyringOf(2));
  await store("kept", references.given("env:OPEN_KEY", null));
  await database.pool.query("INSERT INTO things VALUES ($1, 'none', NULL)", [randomUUID()]);
  expect((await exportAll(false)).found).toEqual({ "thing/sealed": "sk-2" });
  expect((await exportAll(true)).found).toEqual({ "thing/sealed": "sk-2", "thing/kept": "env:OPEN_KEY" });
});

test("a column outside backups exports nothing", async () => {
  const exportSecrets = createSecretExport(database, keyring, columns(false).slice(0, 1), log);
  expect(await exportSecrets("age1", "")).toEqual({ sealed: "", nextCursor: "" });
});
