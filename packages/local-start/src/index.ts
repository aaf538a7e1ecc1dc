export { createFirstDemo, type Demo, type FirstDemo, type ProviderKeys } from "./demo.ts";
export { displayHost, formatGreeting, type Greeting, progress } from "./greeting.ts";
export { type Home, openHome } from "./home.ts";
export { type KeptServer, keepRunning } from "./keep-running.ts";
export { openPostgres, postgresProblem } from "./open-postgres.ts";
export type { StartedResources } from "./started-resources.ts";
export { type LocalRun, runUntilSignal } from "./run-until-signal.ts";
export { runMain, StartError, toStartError } from "./start-error.ts";
export { openUnshownAdminKey, type UnshownAdminKey } from "./unshown-admin-key.ts";
