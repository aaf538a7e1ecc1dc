import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { formatRolesScript, schemaOf } from "@gatehouse/keys";
import { StartError } from "@gatehouse/local-start";
import { migratedServices, migrateService } from "@gatehouse/migrate";
import type { ServiceName } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import pg from "pg";

const passwordBytes = 24;
const insufficientPrivilege = "42501";
const services = pathToFileURL(join(import.meta.dirname, "../../../services/"));

/**
 * Gives each service its schema and two roles with passwords for this run, and applies its migrations; the running service gets
 * the role that cannot change tables. @returns the URLs by service.
 * @throws StartError where the user of `url` may not create roles.
 */
export async function prepareDatabase(url: Secret): Promise<ReadonlyMap<ServiceName, Secret>> {
  const roles = migratedServices.map((name) => {
    const [password, ownerPassword] = [newPassword(), newPassword()];
    return { name, schema: schemaOf(name), password, ownerPassword };
  });
  await runScript(url, formatRolesScript(roles));
  const urlOf = (role: string, password: string): Secret => {
    const own = new URL(url.reveal());
    own.username = role;
    own.password = password;
    return new Secret(own.href);
  };
  for (const { name, schema, ownerPassword } of roles)
    await migrateService({ service: name, url: urlOf(`gatehouse_${schema}_owner`, ownerPassword), services });
  return new Map(roles.map(({ name, schema, password }) => [name, urlOf(`gatehouse_${schema}`, password)]));
}

async function runScript(url: Secret, script: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.reveal() });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(script);
  } catch (err) {
    if (!(err instanceof pg.DatabaseError) || err.code !== insufficientPrivilege) throw err;
    const message =
      "The user of DATABASE_URL may not make the services' roles. Give it CREATEROLE and CREATE on the database, or leave DATABASE_URL out: a Postgres is then started here.";
    throw new StartError(message, { cause: err });
  } finally {
    await client.end().catch(() => {});
  }
}

function newPassword(): string {
  return randomBytes(passwordBytes).toString("base64url");
}
