export { type ControlPlaneDependencies, createControlPlaneService } from "./app.ts";
export { type ControlPlaneConfig, readControlPlaneConfig } from "./config.ts";
