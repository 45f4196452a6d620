import type Docker from "dockerode";

/**
 * The containers that an engine has, also those that do not run. Docker Engine 20.10 may list one for ever that is gone: where a container ends in the moment of its removal, its end can be
 * noted after it was forgotten. Asked about that one itself, the engine says that there is none.
 */
export async function listContainers(
  docker: Docker,
  filters: Record<string, string[]> = {},
): Promise<Docker.ContainerInfo[]> {
  const listed = await docker.listContainers({ all: true, filters });
  const there = await Promise.all(listed.map(({ Id }) => isThere(docker, Id)));
  return listed.filter((_, at) => there[at]);
}

async function isThere(docker: Docker, id: string): Promise<boolean> {
  try {
    await docker.getContainer(id).inspect();
    return true;
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 404) return false;
    throw error;
  }
}

/** The containers of a Sallyport. */
export function containersOf(docker: Docker, owner: string): Promise<Docker.ContainerInfo[]> {
  return listContainers(docker, { label: [`dev.sallyport.owner=${owner}`] });
}

/** Waits for the engine's own word that nothing of a Sallyport is left; the test's timeout ends it. */
export async function untilNoneOf(docker: Docker, owner: string): Promise<void> {
  while ((await containersOf(docker, owner)).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}
