import { encodeProject } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const deleteProject = defineOperation({
  name: "svc_delete_project",
  description: "Deletes a project with its tokens and endpoints. Its tokens stop working at once.",
  access: writeProject,
  arguments: { project },
  async run(args, { projects, federation, caller }) {
    const { uuid } = await projects.get(args.project);
    // The owners first, each of which may be asked again: a failure leaves a project that can be deleted once more.
    await federation.deleteProject(uuid);
    return { ...encodeProject(await projects.delete(uuid, caller.originFor(null))), deleted: true };
  },
});
