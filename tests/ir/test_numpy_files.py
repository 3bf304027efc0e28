"""Files of arrays that are none; tests/cli/test_inputs_within_limits.py tries damaged and large ones."""

import pytest

from irops.ir.numpy_files import UnreadableFileError, load_all


def test_a_folder_holds_no_arrays(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"is a folder; it must be a local \.npy or \.npz file"):
        load_all(str(tmp_path))
