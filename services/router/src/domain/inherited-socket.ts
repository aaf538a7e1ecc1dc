/** The first inherited file descriptor (sd_listen_fds(3)); its listening fails where the parent process passed none. */
export const inheritedSocket = { fd: 3 };
