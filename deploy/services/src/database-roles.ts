import { randomBytes } from "node:crypto";
import { StartError } from "@gatehouse/local-start";
import { Secret } from "@gatehouse/vault";
import pg from "pg";
import type { ServiceName } from "./places.ts";

const passwordBytes = 24;
const insufficientPrivilege = "42501";

/** The Postgres schema of a service. */
export function schemaOf(name: ServiceName): string {
  return name.replaceAll("-", "_");
}

/**
 * Gives each service a role that owns its schema and sees no other's, with a password for this run.
 * @returns the URL of each service, by its name.
 * @throws StartError where the user of `url` may make no roles.
 */
export async function prepareRoles(
  url: Secret,
  names: readonly ServiceName[],
): Promise<ReadonlyMap<ServiceName, Secret>> {
  const client = new pg.Client({ connectionString: url.reveal() });
  client.on("error", () => {});
  await client.connect();
  try {
    const urls = new Map<ServiceName, Secret>();
    for (const name of names) urls.set(name, await prepareRole(client, url, schemaOf(name)));
    return urls;
  } catch (err) {
    if (!(err instanceof pg.DatabaseError) || err.code !== insufficientPrivilege) throw err;
    const message =
      "The user of DATABASE_URL may not make the services' roles. Give it CREATEROLE and CREATE on the database, or leave DATABASE_URL out: a Postgres is then started here.";
    throw new StartError(message, { cause: err });
  } finally {
    await client.end().catch(() => {});
  }
}

async function prepareRole(client: pg.Client, url: Secret, schema: string): Promise<Secret> {
  const role = `gatehouse_${schema}`;
  const password = randomBytes(passwordBytes).toString("base64url");
  const { rowCount } = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
  await client.query(`${rowCount === 0 ? "CREATE" : "ALTER"} ROLE ${role} LOGIN PASSWORD '${password}'`);
  await client.query(`GRANT ${role} TO CURRENT_USER`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${role}`);
  await handOver(client, schema, role);
  const own = new URL(url.reveal());
  own.username = role;
  own.password = password;
  return new Secret(own.href);
}

/** What `npm start` has made in the schema belongs to its user; here the service's role does the migrations. */
async function handOver(client: pg.Client, schema: string, role: string): Promise<void> {
  await client.query(`ALTER SCHEMA ${schema} OWNER TO ${role}`);
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER %s %I.%I OWNER TO %I', kind, schema, name, $2::text) AS statement FROM (
       SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind,
              n.nspname AS schema, c.relname AS name, c.relowner AS owner
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'v', 'S')
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
       UNION ALL
       SELECT 'TYPE', n.nspname, t.typname, t.typowner FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
       WHERE t.typtype IN ('e', 'd')
       UNION ALL
       SELECT 'ROUTINE', n.nspname, p.proname, p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     ) objects WHERE schema = $1 AND owner <> (SELECT oid FROM pg_roles WHERE rolname = $2)`,
    [schema, role],
  );
  for (const { statement } of rows) await client.query(statement);
}
