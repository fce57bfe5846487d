# SPDX-License-Identifier: Apache-2.0
"""A trace whose moments are paired into spans, as LTTng has them, long enough for checkpoints."""
import os
import random
import struct

kinds = {"u64": "<Q", "i64": "<q", "i32": "<i", "u32": "<I"}
kernel = {
    "sched_switch": [("prev_tid", "i32"), ("prev_state", "i64"), ("next_comm", "string"), ("next_tid", "i32")],
    "sched_wakeup": [("comm", "string"), ("tid", "i32"), ("target_cpu", "u32")],
    "syscall_entry_read": [("fd", "i32")],
    "syscall_exit_read": [("ret", "i32")],
    "syscall_entry_futex": [("uaddr", "u64")],
    "syscall_exit_futex": [("ret", "i32")],
    "irq_handler_entry": [("irq", "i32"), ("name", "string")],
    "irq_handler_exit": [("irq", "i32")],
}
program = {
    "lttng_ust_statedump:bin_info": [("baddr", "u64"), ("memsz", "u64"), ("path", "string")],
    "lttng_ust_cyg_profile:func_entry": [("addr", "u64"), ("call_site", "u64")],
    "lttng_ust_cyg_profile:func_exit": [("addr", "u64"), ("call_site", "u64")],
    "app:work_entry": [("number", "u64")],
    "app:work_exit": [("number", "u64")],
    "app:tick": [("number", "u64")],
    "ros2:rcl_publisher_init": [("publisher_handle", "u64"), ("node_handle", "u64"),
                                ("rmw_publisher_handle", "u64"), ("topic_name", "string"), ("queue_depth", "u64")],
    "ros2:rclcpp_callback_register": [("callback", "u64"), ("symbol", "string")],
    "ros2:rmw_publish": [("rmw_publisher_handle", "u64"), ("message", "u64"), ("timestamp", "i64")],
    "ros2:rmw_take": [("rmw_subscription_handle", "u64"), ("message", "u64"), ("source_timestamp", "i64"),
                      ("taken", "i32")],
    "ros2:callback_start": [("callback", "u64"), ("is_intra_process", "i32")],
    "ros2:callback_end": [("callback", "u64")],
}
head = """/* CTF 1.8 */
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = true; } := i64;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 32; align = 8; signed = false; } := u32;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 stream_id; }; };
clock { name = c; uuid = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"; freq = 1000000000; offset_s = 1700000000; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := time;
"""


class Stream:
    def __init__(self, number, events, *context):
        self.number, self.events = number, events
        self.ids = {name: i for i, name in enumerate(events)}
        self.context = context
        self.data = struct.pack("<I", number) + (b"" if number else struct.pack("<I", context[0]))

    def event(self, time, thread, name, *values):
        self.data += struct.pack("<IQ", self.ids[name], time)
        if self.number == 1:
            self.data += struct.pack("<II", self.context[0], thread)
        for (_, kind), value in zip(self.events[name], values, strict=True):
            self.data += value.encode() + b"\0" if kind == "string" else struct.pack(kinds[kind], value)

    @staticmethod
    def metadata(number, events, context):
        text = f"stream {{ id = {number}; {context} event.header := struct {{ u32 id; time timestamp; }}; }};\n"
        for i, (name, fields) in enumerate(events.items()):
            members = "".join(f" {kind} {field};" for field, kind in fields)
            text += (f'event {{ name = "{name}"; id = {i}; stream_id = {number}; '
                     f'fields := struct {{{members} }}; }};\n')
        return text


class Cpu:
    """A CPU that switches between threads, which call the system and are interrupted there."""

    def __init__(self, dice, number):
        self.dice, self.stream, self.number = dice, Stream(0, kernel, number), number
        self.threads = [10 * number + i for i in range(6)]
        self.running, self.calls, self.irq = 0, {}, False

    def step(self, time):
        choice = self.dice.random()
        call = self.calls.get(self.running)
        if choice < .1:
            name = "irq_handler_exit" if self.irq else "irq_handler_entry"
            self.stream.event(time, 0, name, 9, *(() if self.irq else ("disk",)))
            self.irq = not self.irq
        elif choice < .3:
            tid = self.dice.choice(self.threads)
            self.stream.event(time, 0, "sched_wakeup", f"t{tid}", tid, self.number)
        elif choice < .6 or self.running == 0:
            tid = self.dice.choice([0, *self.threads])
            self.stream.event(time, 0, "sched_switch", self.running, self.dice.choice([0, 1, 2]), f"t{tid}", tid)
            self.running, self.irq = tid, False
        elif call:
            self.stream.event(time, 0, f"syscall_exit_{call}", 1)
            del self.calls[self.running]
        else:
            self.calls[self.running] = self.dice.choice(["read", "futex"])
            self.stream.event(time, 0, f"syscall_entry_{self.calls[self.running]}", 3)


class Process:
    """A process whose functions, work and callbacks nest, and that loads a binary now and then."""

    def __init__(self, dice, number):
        self.dice, self.number, self.stream = dice, number, Stream(1, program, number)
        self.stacks = {number + i: [] for i in range(3)}
        self.sent, self.loaded = 0, 0
        self.stream.event(1, number, "ros2:rcl_publisher_init", 0x20, 0x10, 0x21, "/chatter", 10)

    def load(self, time, thread):
        self.loaded += 1
        at = 0x1000 * self.loaded
        self.stream.event(time, thread, "lttng_ust_statedump:bin_info", at, 0x1000, f"/lib/lib{self.loaded}.so")
        self.stream.event(time, thread, "ros2:rclcpp_callback_register", at, f"callback {self.loaded}")

    def step(self, time):
        thread = self.dice.choice(list(self.stacks))
        stack, choice = self.stacks[thread], self.dice.random()
        if self.loaded == 0 or choice < .001:
            self.load(time, thread)
        elif choice < .1:
            self.stream.event(time, thread, "app:tick", time)
        elif choice < .15:
            self.sent += 1
            self.stream.event(time, thread, "ros2:rmw_publish", 0x21, 0x99, self.sent)
        elif choice < .2 and self.sent > 3:
            self.stream.event(time, thread, "ros2:rmw_take", 0x21, 0x88, self.sent - 3, 1)
        elif stack and (choice < .6 or len(stack) > 8):
            name, *values = stack.pop()
            self.stream.event(time, thread, name, *values)
        else:
            at = 0x1000 * self.dice.randint(1, self.loaded) + 16 * self.dice.randint(0, 9)
            number = self.dice.randint(0, 9)
            begin, values, end = self.dice.choice([
                ("lttng_ust_cyg_profile:func_entry", (at, 1), ("lttng_ust_cyg_profile:func_exit", at, 1)),
                ("app:work_entry", (number,), ("app:work_exit", number)),
                ("ros2:callback_start", (at & ~0xfff, 0), ("ros2:callback_end", at & ~0xfff))])
            self.stream.event(time, thread, begin, *values)
            stack.append(end)


def write(folder, seed, first, count=40000):
    """Writes a trace of two CPUs and two processes, whose numbers `first` makes differ from others."""
    dice = random.Random(seed)
    cpu = first // 100
    makers = [Cpu(dice, cpu), Cpu(dice, cpu + 1), Process(dice, first), Process(dice, first + 10)]
    time = 1000
    for _ in range(count):
        time += dice.choice([0, 1, 1, 5, 30, 400])
        dice.choice(makers).step(time)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/metadata", "w", encoding="utf-8") as file:
        file.write(head)
        file.write(Stream.metadata(0, kernel, "packet.context := struct { u32 cpu_id; };"))
        file.write(Stream.metadata(1, program, "event.context := struct { u32 vpid; u32 vtid; };"))
    for i, maker in enumerate(makers):
        with open(f"{folder}/stream_{i}", "wb") as file:
            file.write(maker.stream.data)
