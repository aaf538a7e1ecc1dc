/** A service with its two roles: one that migrates and owns the schema, one for the running service. */
export interface RoleOfService {
  readonly schema: string;
  /** SCRAM verifiers (`toScramVerifier`) or passwords; quoted here. */
  readonly password: string;
  readonly ownerPassword: string;
}

/** Name of a service's Postgres schema: the service's name with `_` for `-`, so that it needs no quotes. */
export function schemaOf(service: string): string {
  return service.replaceAll("-", "_");
}

/**
 * SQL that gives each service a schema and two roles: `gatehouse_<schema>_owner` applies migrations; `gatehouse_<schema>` reads
 * and writes rows and cannot change tables. Repeatable, by a superuser or by a role with CREATEROLE that owns the database;
 * objects of an earlier version get the schema's owner.
 */
export function formatRolesScript(services: readonly RoleOfService[]): string {
  return ["-- Roles and schemas of Gatehouse's services.", ...services.map((service) => ofService(service)), ""].join(
    "\n",
  );
}

function ofService({ schema, password, ownerPassword }: RoleOfService): string {
  const [role, owner] = [`gatehouse_${schema}`, `gatehouse_${schema}_owner`];
  const inSchema = `FOR ROLE ${owner} IN SCHEMA ${schema} GRANT`;
  return `
${ensureRole(owner, ownerPassword)}
${ensureRole(role, password)}
GRANT ${owner} TO CURRENT_USER;
CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${owner};
ALTER SCHEMA ${schema} OWNER TO ${owner};
${handOver(schema, owner)}
GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};
ALTER DEFAULT PRIVILEGES ${inSchema} SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
ALTER DEFAULT PRIVILEGES ${inSchema} USAGE, SELECT, UPDATE ON SEQUENCES TO ${role};
ALTER DEFAULT PRIVILEGES ${inSchema} EXECUTE ON FUNCTIONS TO ${role};`;
}

function ensureRole(role: string, password: string): string {
  return `DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} LOGIN; END IF;
END $do$;
ALTER ROLE ${role} LOGIN NOCREATEDB NOCREATEROLE PASSWORD '${password.replaceAll("'", "''")}';`;
}

/** Sequences that belong to a column follow their table. */
function handOver(schema: string, owner: string): string {
  return `DO $do$ DECLARE statement text; BEGIN
  FOR statement IN
    SELECT format('ALTER %s %I.%I%s OWNER TO ${owner}', kind, '${schema}', name, arguments) FROM (
      SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind,
             c.relname AS name, '' AS arguments, c.relnamespace AS namespace, c.relowner AS owner
      FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'S') AND NOT (c.relkind = 'S' AND EXISTS
        (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')))
      UNION ALL
      SELECT 'TYPE', t.typname, '', t.typnamespace, t.typowner FROM pg_type t WHERE t.typtype IN ('e', 'd')
      UNION ALL
      SELECT 'ROUTINE', p.proname, format('(%s)', pg_get_function_identity_arguments(p.oid)), p.pronamespace, p.proowner
      FROM pg_proc p
    ) objects
    WHERE namespace = '${schema}'::regnamespace AND owner <> '${owner}'::regrole
  LOOP EXECUTE statement; END LOOP;
END $do$;`;
}
