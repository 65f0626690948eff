"""The scripts of a shared page become one script, so their top-level names must differ."""

import re
from collections import Counter

from ecs_anim.sharing.build_page import SCRIPTS, page_file

TOP_LEVEL = re.compile(r"^(?:const|let|var|class|(?:async )?function\*?) +(\w+)", re.MULTILINE)


def test_no_two_scripts_declare_one_name():
    names = Counter(name for script in SCRIPTS for name in TOP_LEVEL.findall(page_file(script)))
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []
