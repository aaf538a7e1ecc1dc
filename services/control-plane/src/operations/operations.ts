import { createAdminKey, listAdminKeys, revokeAdminKey, rotateAdminKey } from "./admin-keys.ts";
import { applyConfig } from "./apply-config.ts";
import { endConsoleSession, listConsoleSessions } from "./console-sessions.ts";
import { createIssuer } from "./create-issuer.ts";
import { createProject } from "./create-project.ts";
import { createToken } from "./create-token.ts";
import { deleteProject } from "./delete-project.ts";
import { deleteToken } from "./delete-token.ts";
import { exportBackup } from "./export-backup.ts";
import { getProject } from "./get-project.ts";
import { deleteIssuer, listIssuers, listSubjects, revokeSubject, updateIssuer } from "./issuers.ts";
import { listProjects } from "./list-projects.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateToken } from "./rotate-token.ts";
import { updateProject } from "./update-project.ts";
import { updateToken } from "./update-token.ts";
import type { Operation } from "./operation.ts";

/** The Control Plane's own operations, in the order of `tools/list`. */
export const operations: readonly Operation[] = [
  createProject,
  listProjects,
  getProject,
  updateProject,
  deleteProject,
  createToken,
  listTokens,
  updateToken,
  rotateToken,
  revokeToken,
  deleteToken,
  createIssuer,
  listIssuers,
  updateIssuer,
  deleteIssuer,
  listSubjects,
  revokeSubject,
  createAdminKey,
  listAdminKeys,
  rotateAdminKey,
  revokeAdminKey,
  listConsoleSessions,
  endConsoleSession,
  exportBackup,
  applyConfig,
];
