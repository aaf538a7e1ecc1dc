import { applyConfig } from "./apply-config.ts";
import { createCredential } from "./create-credential.ts";
import { createOauthConnection } from "./create-oauth-connection.ts";
import { createEndpoint } from "./create-endpoint.ts";
import { createProject } from "./create-project.ts";
import { createProvider } from "./create-provider.ts";
import { createToken } from "./create-token.ts";
import { deleteCredential } from "./delete-credential.ts";
import { deleteOauthConnection } from "./delete-oauth-connection.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { deleteProject } from "./delete-project.ts";
import { deleteToken } from "./delete-token.ts";
import { exportBackup } from "./export-backup.ts";
import { getEndpoint } from "./get-endpoint.ts";
import { getGuardrails } from "./get-guardrails.ts";
import { getProject } from "./get-project.ts";
import { getUsage } from "./get-usage.ts";
import { getProviderHealth } from "./get-provider-health.ts";
import { listCredentials } from "./list-credentials.ts";
import { listOauthConnections } from "./list-oauth-connections.ts";
import { listEndpoints } from "./list-endpoints.ts";
import { listProjects } from "./list-projects.ts";
import { listProviders } from "./list-providers.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateToken } from "./rotate-token.ts";
import { setCredentialActive } from "./set-credential-active.ts";
import { setEndpointActive } from "./set-endpoint-active.ts";
import { setGuardrails } from "./set-guardrails.ts";
import { setProviderEnabled } from "./set-provider-enabled.ts";
import { testGuardrails } from "./test-guardrails.ts";
import { updateEndpoint } from "./update-endpoint.ts";
import { updateProject } from "./update-project.ts";
import { createUpstream } from "./create-upstream.ts";
import { listUpstreams } from "./list-upstreams.ts";
import { updateUpstream } from "./update-upstream.ts";
import { refreshUpstream } from "./refresh-upstream.ts";
import { testUpstream } from "./test-upstream.ts";
import { approveTools } from "./approve-tools.ts";
import { deleteUpstream } from "./delete-upstream.ts";
import { queryGatewayLog } from "./query-gateway-log.ts";
import { queryAuditLog } from "./query-audit-log.ts";
import { verifyAuditLog } from "./verify-audit-log.ts";
import type { Operation } from "./operation.ts";

/** The operations of the Control Plane that are not yet their owners' own, in the order of `tools/list`. */
export const operations: readonly Operation[] = [
  createProject,
  listProjects,
  getProject,
  updateProject,
  deleteProject,
  createToken,
  listTokens,
  rotateToken,
  revokeToken,
  deleteToken,
  createProvider,
  listProviders,
  setProviderEnabled,
  getProviderHealth,
  createCredential,
  listCredentials,
  setCredentialActive,
  deleteCredential,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  setEndpointActive,
  deleteEndpoint,
  createOauthConnection,
  listOauthConnections,
  deleteOauthConnection,
  setGuardrails,
  getGuardrails,
  testGuardrails,
  createUpstream,
  listUpstreams,
  updateUpstream,
  refreshUpstream,
  testUpstream,
  approveTools,
  deleteUpstream,
  queryGatewayLog,
  queryAuditLog,
  verifyAuditLog,
  getUsage,
  exportBackup,
  applyConfig,
];
