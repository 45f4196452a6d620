"""An init that breaks its word. Answers stat, so that the sandbox opens, and misbehaves at the first command, as MODE says."""

import os, socket, struct, sys, time

HELLO, SPAWN, STARTED, FAILED, STDOUT, END, CREDIT, EXIT, OPEN, RESET, STAT, STATED = 1, 2, 3, 4, 6, 8, 9, 13, 14, 15, 18, 19
TCP = 0x80000000
stream = socket.socket(socket.AF_UNIX)
stream.connect(sys.argv[-1])


def frame(kind, channel, payload=b""):
    return struct.pack("<II", kind << 24 | len(payload), channel) + payload


def read(count):
    data = b""
    while len(data) < count:
        piece = stream.recv(count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def exited(channel, code=0):
    return frame(EXIT, channel, struct.pack("<IIIIQQQQ", code, 0, 0, 0, 1, 2, 3, 4))


def misbehave(channel):
    started = frame(STARTED, channel, struct.pack("<I", 7))
    data = lambda size: frame(STDOUT, channel, bytes(size))
    credit = frame(CREDIT, channel, struct.pack("<I", 65536))
    acts = {
        "unknown frame": [frame(99, channel)],
        "unknown channel": [frame(STARTED, channel + 1000, struct.pack("<I", 7))],
        "a frame of the sidecar's": [frame(SPAWN, channel, bytes(52))],
        "output before the start": [data(10)],
        "more output than was granted": [started] + [data(65536)] * 10,
        "a frame that is too long": [started, struct.pack("<II", STDOUT << 24 | 0xFFFFFF, channel), bytes(65536)],
        "a control frame of another length": [started, frame(EXIT, channel, bytes(44))],
        "two starts": [started, started],
        "two exits": [started, exited(channel), exited(channel)],
        "output after the exit": [started, exited(channel), data(1)],
        "credit for nothing": [started, credit, credit, credit, credit, credit],
        "another hello": [started, frame(HELLO, 0, struct.pack("<II", 2, 7))],
        "a connection on a command's channel": [started, frame(OPEN, channel)],
        "one connection twice": [started, frame(OPEN, TCP), frame(OPEN, TCP)],
        "half a frame and the end": [started, data(1000)[:500]],
        "a start after the exit": [started, exited(channel), started],
        "a refusal after the start": [started, frame(FAILED, channel, struct.pack("<II", 2, 4))],
        "two refusals": [frame(FAILED, channel, struct.pack("<II", 2, 4))] * 2,
        "an exit before the start": [exited(channel)],
        "an exit that is none": [started, exited(channel, 256)],
        "a connection that ends twice": [started, frame(OPEN, TCP), frame(END, TCP), frame(END, TCP)],
        "data after a connection's end": [started, frame(OPEN, TCP), frame(END, TCP), frame(STDOUT, TCP, b"x")],
        "more for a connection than was granted": [started, frame(OPEN, TCP)] + [frame(STDOUT, TCP, bytes(65536))] * 5,
        "credit for nothing on a connection": [started, frame(OPEN, TCP), frame(CREDIT, TCP, struct.pack("<I", 1))],
        "nothing any more": [started],
        "a flood of connections": [started] + [b"".join(frame(OPEN, TCP + i) + frame(STDOUT, TCP + i, b"x") + frame(RESET, TCP + i) for i in range(20000)), exited(channel, 5)],
        "a flood for a connection that nobody opened": [started, frame(STDOUT, TCP, b"x") * 200000, exited(channel, 5)],
        "absurd numbers": [frame(STARTED, channel, struct.pack("<I", 0xFFFFFFFF)), frame(EXIT, channel, struct.pack("<IIIIQQQQ", 5, 0, 0, 0, *[2**64 - 1] * 4))],
        "connections without end": [started] + [frame(OPEN, TCP + i) for i in range(100000)] + [exited(channel, 5)],
        "random bytes": [started, os.urandom(100000)],
    }
    try:
        for piece in acts[MODE]:
            stream.sendall(piece)
    except OSError:
        os._exit(0)
    if MODE in ("nothing any more", "connections without end", "absurd numbers") or "flood" in MODE:
        time.sleep(1000)
    if MODE == "half a frame and the end":
        stream.shutdown(socket.SHUT_WR)


stream.sendall(frame(HELLO, 0, struct.pack("<II", 2, 7)))
while True:
    word, channel = struct.unpack("<II", read(8))
    payload = read(word & 0xFFFFFF)
    if word >> 24 == STAT:
        try:
            found = os.lstat(payload)
            answer = struct.pack("<IIQQ", 0, found.st_mode, found.st_dev, found.st_ino)
        except OSError as error:
            answer = struct.pack("<IIQQ", error.errno, 0, 0, 0)
        stream.sendall(frame(STATED, channel, answer))
    elif word >> 24 == SPAWN:
        misbehave(channel)
