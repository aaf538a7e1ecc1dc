import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { connectAdapter, connectShadow } from "./adapter.mjs";
import { connectOnce, createDatabase, toConnectionSettings } from "./connection.mjs";

const WASM_MODULE = "@prisma/schema-engine-wasm/schema_engine_bg";
/** Connection string for methods that need no database: the engine requires one for every method. */
const NO_DATABASE_URL = "postgresql://none:none@127.0.0.1:1/none";
/** These read the migrations' end state from a cache that only `devDiagnostic` fills through the shadow database. */
const NEEDS_DIAGNOSTIC = new Set(["evaluateDataLoss", "createMigration"]);
/** Content of `migration_lock.toml`, the same for every service: none keeps the file. */
const LOCK_FILE = 'provider = "postgresql"\n';
/** Methods after which the connections are closed, which releases the migration lock. */
const ENDS_CONNECTIONS = new Set(["applyMigrations", "reset"]);

/**
 * One run of the engine: answers its methods, and starts the WebAssembly build when the first of them needs it.
 * @param {{ datamodels: readonly string[], datasource: { url?: string, shadowDatabaseUrl?: string } }} invocation
 * @returns {(method: string, params: any) => Promise<unknown>} rejects with the engine's own error
 */
export function createSession({ datamodels, datasource }) {
  const open = [];
  let engine;

  async function startEngine() {
    const url = datasource.url ?? NO_DATABASE_URL;
    const factory = {
      provider: "postgres",
      adapterName: "@prisma/adapter-pg",
      connectToShadowDb: () => connectShadow({ ...datasource, url }),
      connect: async () => {
        const adapter = await connectAdapter(url);
        open.push(adapter);
        return adapter;
      },
    };
    const { SchemaEngine } = await loadWasm();
    const models = await readDatamodels(datamodels);
    return SchemaEngine.new({ datamodels: models }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
  }

  async function askEngine(method, given) {
    const params = withLockFiles(given);
    const running = await (engine ??= startEngine());
    if (NEEDS_DIAGNOSTIC.has(method)) {
      await running.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
    }
    const result = await running[method === "getDatabaseVersion" ? "version" : method](params);
    if (ENDS_CONNECTIONS.has(method)) {
      engine = undefined;
      await Promise.all(open.splice(0).map((adapter) => adapter.dispose()));
    }
    return result ?? null;
  }

  return async (method, params) => {
    switch (method) {
      case "createDatabase":
        return createDatabase(params?.datasource?.url ?? datasource.url);
      case "ensureConnectionValidity":
        await connectOnce(toConnectionSettings(datasource.url).pg);
        return {};
      default:
        return askEngine(method, params);
    }
  };
}

/** Adds a lock file to each list of migrations in the parameters, without which the engine does not know the provider. */
function withLockFiles(params) {
  const lists = Object.entries(params ?? {}).filter(([, value]) => value?.lockfile?.content === null);
  const locked = lists.map(([name, list]) => [name, { ...list, lockfile: { ...list.lockfile, content: LOCK_FILE } }]);
  return locked.length === 0 ? params : { ...params, ...Object.fromEntries(locked) };
}

async function readDatamodels(files) {
  if (files.length === 0) {
    return undefined;
  }
  return Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")]));
}

let wasm;

/** The package is built for bundlers: its glue and its module are joined here, once for the process. */
function loadWasm() {
  wasm ??= (async () => {
    const glue = await import(WASM_MODULE);
    const path = createRequire(import.meta.url)
      .resolve(WASM_MODULE)
      .replace(/js$/, "wasm");
    const { instance } = await WebAssembly.instantiate(await readFile(path), { "./schema_engine_bg.js": glue });
    glue.__wbg_set_wasm(instance.exports);
    instance.exports.__wbindgen_start();
    return glue;
  })();
  return wasm;
}
