import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { escapeIdentifier } from "pg";
import { runAsAdmin, toConnectionSettings } from "./connection.mjs";

/** pg's one-byte type "char", which catalogue queries return and adapter-pg rejects, is read as text. */
const OID_CHAR = 18;
const OID_TEXT = 25;
const COLUMN_TYPE_CHARACTER = 6;
const CONNECTIONS_MAX = 4;

/**
 * Opens adapter-pg on the database of `url`, patched for the engine's needs.
 * @param {string} url
 * @param {string} [database] replaces the URL's database
 */
export async function connectAdapter(url, database) {
  const { pg, schema } = toConnectionSettings(url, database);
  return mendAdapter(await new PrismaPg({ ...pg, max: CONNECTIONS_MAX }, { schema }).connect());
}

/**
 * Opens the shadow database: the configured one, emptied first, else a new one that is dropped when disposed of.
 * @param {{ url: string, shadowDatabaseUrl?: string }} datasource
 */
export function connectShadow({ url, shadowDatabaseUrl }) {
  return shadowDatabaseUrl ? connectFixedShadow(url, shadowDatabaseUrl) : connectNewShadow(url);
}

async function connectFixedShadow(url, shadowUrl) {
  if (isSameDatabase(url, shadowUrl)) {
    throw new Error("shadowDatabaseUrl is the main database");
  }
  const adapter = await connectAdapter(shadowUrl);
  const schema = escapeIdentifier(toConnectionSettings(shadowUrl).schema ?? "public");
  await adapter.executeScript(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  return adapter;
}

async function connectNewShadow(url) {
  const database = `prisma_migrate_shadow_db_${randomUUID()}`;
  const { schema } = toConnectionSettings(url);
  await runAsAdmin(url, `CREATE DATABASE ${escapeIdentifier(database)}`);
  const adapter = await connectAdapter(url, database);
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await runAsAdmin(url, `DROP DATABASE IF EXISTS ${escapeIdentifier(database)} WITH (FORCE)`);
  };
  if (schema !== undefined && schema !== "public") {
    await adapter.executeScript(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
  }
  return adapter;
}

function isSameDatabase(left, right) {
  const [a, b] = [left, right].map((url) => toConnectionSettings(url).pg);
  return a.host === b.host && a.port === b.port && a.database === b.database;
}

function mendAdapter(adapter) {
  readCharAsText(adapter);
  if (adapter.executeScript) {
    // The original splits at every ";", also inside a function's body.
    adapter.executeScript = async (script) => {
      try {
        await adapter.underlyingDriver().query(script);
      } catch (error) {
        adapter.onError(error);
      }
    };
  }
  if (adapter.startTransaction) {
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => mendAdapter(await startTransaction(isolationLevel));
  }
  return adapter;
}

function readCharAsText(adapter) {
  const performIO = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  let charColumns = [];
  adapter.performIO = async (query) => {
    const result = await performIO(query);
    charColumns = (result.fields ?? []).flatMap((field, index) => (field.dataTypeID === OID_CHAR ? [index] : []));
    for (const index of charColumns) {
      result.fields[index].dataTypeID = OID_TEXT;
    }
    return result;
  };
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const index of charColumns) {
      result.columnTypes[index] = COLUMN_TYPE_CHARACTER;
    }
    return result;
  };
}
