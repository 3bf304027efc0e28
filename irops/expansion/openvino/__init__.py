"""The expansions of OpenVINO's ops: a module a topic, imported when one is first asked for."""
