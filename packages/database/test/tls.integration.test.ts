import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Authority, issueCertificate, makeAuthority } from "@gatehouse/certificates";
import { type LocalPostgres, startPostgres } from "@gatehouse/postgres";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase, type OpenDatabase } from "../src/index.ts";

const hourMs = 3_600_000;
const { log } = createSilentTelemetry();

describe("a Postgres that takes encrypted connections alone", () => {
  let folder: string;
  let server: LocalPostgres;
  let authority: Authority;
  const opened: OpenDatabase[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-postgres-tls-"));
    await chmod(folder, 0o711);
    server = await startPostgres({ dataDir: join(folder, "data"), logFile: join(folder, "log"), throwaway: true });
    authority = makeAuthority(Date.now());
    await mkdir(join(folder, "files"));
    await asSuperuser(async (client) => {
      const clusterFolder = dirname(await show(client, "hba_file"));
      await writeServerFiles(clusterFolder, authority, ["localhost"]);
      const lines = [
        "hostssl all with_certificate 127.0.0.1/32 trust clientcert=verify-ca",
        "hostssl all all 127.0.0.1/32 scram-sha-256",
        // Rule of this test, which checks the server's view of others.
        `host all ${decodeURIComponent(new URL(server.url).username)} 127.0.0.1/32 scram-sha-256`,
      ];
      await client.query("CREATE ROLE with_certificate LOGIN; CREATE ROLE service LOGIN PASSWORD 'service'");
      await client.query("GRANT CREATE ON DATABASE gatehouse TO service, with_certificate");
      await writeFile(join(clusterFolder, "pg_hba.conf"), `${lines.join("\n")}\n`);
      for (const name of ["ssl_cert_file", "ssl_key_file", "ssl_ca_file"])
        await client.query(`ALTER SYSTEM SET ${name} = '${name}.pem'`);
      await client.query("ALTER SYSTEM SET ssl = on");
      await client.query("SELECT pg_reload_conf()");
    });
    await writeFile(join(folder, "files", "authorities.pem"), authority.certificate);
    const isOn = async () => await asSuperuser(async (client) => await show(client, "ssl"));
    await vi.waitFor(async () => expect(await isOn()).toBe("on"), { timeout: 20_000 });
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function asSuperuser<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async function show(client: pg.Client, name: string): Promise<string> {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
    return rows[0]?.[name] ?? "";
  }

  /** Files with the data owner as owner: the server accepts no other key. */
  async function writeServerFiles(clusterFolder: string, by: Authority, dnsNames: readonly string[]): Promise<void> {
    const { certificate, key } = issue(by, dnsNames);
    const { uid, gid } = await stat(clusterFolder);
    const files = { ssl_cert_file: certificate, ssl_key_file: key, ssl_ca_file: by.certificate };
    for (const [name, text] of Object.entries(files)) {
      const path = join(clusterFolder, `${name}.pem`);
      await writeFile(path, text, { mode: 0o600 });
      await chown(path, uid, gid);
    }
  }

  function issue(by: Authority, dnsNames: readonly string[]) {
    const now = Date.now();
    return issueCertificate(by, { commonName: "postgres", dnsNames, notBefore: now, notAfter: now + hourMs });
  }

  function open(parameters: string, { user = "service:service", host = "localhost" } = {}): OpenDatabase {
    const url = new Secret(`postgresql://${user}@${host}:${server.port}/gatehouse?${parameters}`);
    const database = openDatabase({ url, schema: "encrypted", connectionsMax: 2, log });
    opened.push(database);
    return database;
  }

  const authorities = () => join(folder, "files", "authorities.pem");
  const verified = () => `sslmode=verify-full&sslrootcert=${authorities()}`;
  const isEncrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

  test("is verified by the files of the URL, on the pool, by Prisma, and by a connection outside the pool", async () => {
    const database = open(verified());
    expect((await database.pool.query(isEncrypted)).rows).toEqual([{ ssl: true }]);
    const adapter = await database.prismaAdapter().connect();
    const result = await adapter.queryRaw({ sql: isEncrypted, args: [], argTypes: [] });
    expect(result.rows).toEqual([[true]]);
    const alone = await database.connectAlone();
    expect((await alone.query(isEncrypted)).rows).toEqual([{ ssl: true }]);
    await alone.end();
  });

  test("is refused where another authority has signed its certificate", async () => {
    const other = join(folder, "files", "other.pem");
    await writeFile(other, makeAuthority(Date.now()).certificate);
    const database = open(`sslmode=verify-full&sslrootcert=${other}`);
    await expect(database.pool.query("SELECT 1")).rejects.toThrow(/unable to (get|verify)|self-signed/);
    await expect(database.connectAlone()).rejects.toThrow(/unable to (get|verify)|self-signed/);
  });

  test("is refused under an address that its certificate does not name", async () => {
    const database = open(verified(), { host: "127.0.0.1" });
    await expect(database.pool.query("SELECT 1")).rejects.toThrow(/127\.0\.0\.1 is not in the cert's list/);
  });

  test("takes nothing in plain text", async () => {
    const database = open("sslmode=disable");
    await expect(database.pool.query("SELECT 1")).rejects.toThrow(/no pg_hba.conf entry.*no encryption/);
  });

  test("can ask a role for a certificate, which the URL names by its files", async () => {
    const { certificate, key } = issue(authority, []);
    const [certificateFile, keyFile] = [join(folder, "files", "own.crt"), join(folder, "files", "own.key")];
    await writeFile(certificateFile, certificate);
    await writeFile(keyFile, key);
    const user = "with_certificate";
    const shown = open(`${verified()}&sslcert=${certificateFile}&sslkey=${keyFile}`, { user });
    expect((await shown.pool.query(isEncrypted)).rows).toEqual([{ ssl: true }]);
    await expect(open(verified(), { user }).pool.query("SELECT 1")).rejects.toThrow(
      /requires a valid client certificate/,
    );
  });

  test("is verified by new files without a restart, once its authority has changed", async () => {
    const database = open(verified());
    const first = await database.connectAlone();
    await first.end();
    const next = makeAuthority(Date.now());
    await asSuperuser(async (client) => {
      await writeServerFiles(dirname(await show(client, "hba_file")), next, ["localhost"]);
      await client.query("SELECT pg_reload_conf()");
    });
    const connect = async () =>
      await database.connectAlone().then(async (client) => (await client.end(), "connected"), String);
    await expect.poll(connect, { timeout: 20_000 }).toMatch(/unable to|self-signed/);
    await writeFile(authorities(), next.certificate);
    expect(await connect()).toBe("connected");
  });
});

test("a server that speaks no TLS is refused where the URL asks for it", async () => {
  const url = new URL(process.env["TEST_DATABASE_URL"] ?? "");
  url.search = "?sslmode=verify-full";
  const database = openDatabase({ url: new Secret(url.href), schema: "encrypted", connectionsMax: 1, log });
  await expect(database.pool.query("SELECT 1")).rejects.toThrow(/does not support SSL/);
  await database.close();
});
