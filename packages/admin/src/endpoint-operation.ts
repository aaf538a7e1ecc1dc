import { readProject, writeProject } from "./access.ts";
import { project } from "./arguments.ts";
import { boolean } from "./schemas.ts";

/** Shared parts of the operations on endpoints, for all owners of endpoints: the Control Plane shows them as one operation. */
export const endpointOperation = {
  list: {
    name: "svc_list_endpoints",
    description: "Lists a project's endpoints, oldest first.",
    access: readProject,
    input: { project },
  },
  get: { name: "svc_get_endpoint", description: "Shows one endpoint.", access: readProject },
  update: {
    name: "svc_update_endpoint",
    description: "Changes an endpoint; what is not named stays, null takes an optional setting away.",
    access: writeProject,
  },
  setActive: {
    name: "svc_set_endpoint_active",
    description:
      "Switches an endpoint on or off; an inactive one answers as if it did not exist. Repeating it is harmless.",
    access: writeProject,
    input: { is_active: boolean("Whether it answers.") },
  },
  remove: { name: "svc_delete_endpoint", description: "Deletes an endpoint.", access: writeProject },
  /** Message for a project type without endpoints. */
  refuseProjectType: (type: string) => `Projects of type ${type} cannot have endpoints in this version.`,
} as const;
