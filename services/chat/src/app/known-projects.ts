import { BoundedCache } from "@gatehouse/bounded-cache";

/** A project as its callers' principals name it. */
interface KnownProject {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
}

/** Projects remembered at once; the one that was not called for longest goes first. */
const projectsMax = 10_000;

/** Remembers what projects are called, for events that are not raised by a call. */
export class KnownProjects {
  readonly #projects = new BoundedCache<string, KnownProject>(projectsMax);

  remember(project: KnownProject): void {
    this.#projects.set(project.uuid, project);
  }

  find(uuid: string): KnownProject | undefined {
    return this.#projects.get(uuid);
  }
}
