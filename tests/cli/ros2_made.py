# SPDX-License-Identifier: Apache-2.0
# Writes ./ros2: a trace of ROS 2's tracer as LTTng-UST has it, with events and fields by the names
# of ros2_tracing. A timer of a talker publishes on /chatter; a listener in another process takes the
# messages, and its callback publishes on /echo; another callback of the talker takes those.
import os
import struct

u64, i64, i32, text = "u64", "i64", "i32", "string"
events = {
    "rcl_node_init": [("node_handle", u64), ("rmw_handle", u64), ("node_name", text),
                      ("namespace", text)],
    "rcl_publisher_init": [("publisher_handle", u64), ("node_handle", u64),
                           ("rmw_publisher_handle", u64), ("topic_name", text),
                           ("queue_depth", u64)],
    "rcl_publish": [("publisher_handle", u64), ("message", u64)],
    "rmw_publish": [("rmw_publisher_handle", u64), ("message", u64), ("timestamp", i64)],
    "rcl_subscription_init": [("subscription_handle", u64), ("node_handle", u64),
                              ("rmw_subscription_handle", u64), ("topic_name", text),
                              ("queue_depth", u64)],
    "rclcpp_subscription_init": [("subscription_handle", u64), ("subscription", u64)],
    "rclcpp_subscription_callback_added": [("subscription", u64), ("callback", u64)],
    "rmw_take": [("rmw_subscription_handle", u64), ("message", u64), ("source_timestamp", i64),
                 ("taken", i32)],
    "rcl_timer_init": [("timer_handle", u64), ("period", i64)],
    "rclcpp_timer_callback_added": [("timer_handle", u64), ("callback", u64)],
    "rclcpp_callback_register": [("callback", u64), ("symbol", text)],
    "callback_start": [("callback", u64), ("is_intra_process", i32)],
    "callback_end": [("callback", u64)],
}
numbers = {name: i for i, name in enumerate(events)}
os.makedirs("ros2", exist_ok=True)
with open("ros2/metadata", "w", encoding="utf-8") as file:
    file.write("""/* CTF 1.8 */
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = true; } := i64;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 32; align = 8; signed = false; } := u32;
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := time;
stream {
    event.header := struct { u32 id; time timestamp; };
    event.context := struct { u32 vpid; u32 vtid; };
};
""")
    for name, fields in events.items():
        members = "".join(f" {kind} {field};" for field, kind in fields)
        file.write(f'event {{ name = "ros2:{name}"; id = {numbers[name]}; '
                   f'fields := struct {{{members} }}; }};\n')
data = b""


def event(time, pid, name, *values):
    global data
    data += struct.pack("<IQII", numbers[name], time, pid, pid)
    for (_, kind), value in zip(events[name], values, strict=True):
        if kind == text:
            data += value.encode() + b"\0"
        else:
            data += struct.pack({u64: "<Q", i64: "<q", i32: "<i"}[kind], value)


talker, listener = 100, 200
event(10, talker, "rcl_node_init", 0x10, 0x11, "talker", "/")
event(20, talker, "rcl_publisher_init", 0x20, 0x10, 0x21, "/chatter", 10)
event(30, talker, "rcl_timer_init", 0x30, 100000000)
event(31, talker, "rclcpp_timer_callback_added", 0x30, 0x31)
event(32, talker, "rclcpp_callback_register", 0x31, "Talker::tick()")
event(40, talker, "rcl_subscription_init", 0x40, 0x10, 0x41, "/echo", 10)
event(41, talker, "rclcpp_subscription_init", 0x40, 0x42)
event(42, talker, "rclcpp_subscription_callback_added", 0x42, 0x43)
event(50, listener, "rcl_node_init", 0x10, 0x11, "listener", "/")
# The other process has objects at the same addresses.
event(60, listener, "rcl_subscription_init", 0x20, 0x10, 0x21, "/chatter", 10)
event(61, listener, "rclcpp_subscription_init", 0x20, 0x22)
event(62, listener, "rclcpp_subscription_callback_added", 0x22, 0x31)
event(70, listener, "rcl_publisher_init", 0x50, 0x10, 0x51, "/echo", 10)
event(80, listener, "rclcpp_callback_register", 0x60, "Listener::on_set_parameters()")
for i in range(3):
    at = 1000 + 1000 * i
    event(at, talker, "callback_start", 0x31, 0)
    event(at + 10, talker, "rcl_publish", 0x20, 0x99)
    event(at + 20, talker, "rmw_publish", 0x21, 0x99, 5000 + i)
    event(at + 50, talker, "callback_end", 0x31)
    event(at + 90, listener, "rmw_take", 0x21, 0x88, 0, 0)
    event(at + 100 + i, listener, "rmw_take", 0x21, 0x88, 5000 + i, 1)
    event(at + 110, listener, "callback_start", 0x31, 0)
    event(at + 150, listener, "rcl_publish", 0x50, 0x98)
    event(at + 160, listener, "rmw_publish", 0x51, 0x98, 7000 + i)
    event(at + 210, listener, "callback_end", 0x31)
    event(at + 300, talker, "rmw_take", 0x41, 0x87, 7000 + i, 1)
    event(at + 310, talker, "callback_start", 0x43, 0)
    event(at + 340 + i, talker, "callback_end", 0x43)
event(9000, listener, "callback_start", 0x60, 0)
event(9005, listener, "callback_end", 0x60)
event(9010, listener, "callback_start", 0x77, 0)
event(9011, listener, "callback_end", 0x77)
with open("ros2/stream", "wb") as file:
    file.write(data)
