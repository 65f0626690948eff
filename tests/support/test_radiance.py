"""Radiance HDR pictures against their definition (colour = mantissa / 256 * 2^(exponent - 128)) and against OpenCV."""

import numpy as np
import pytest

from ecs_anim.support.radiance import decode_radiance, is_radiance

HEAD = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n"


def coded(row: np.ndarray) -> bytes:
    """Return one run-length encoded row [width, 4]: alternately a run of equal bytes and a list of bytes."""
    width = len(row)
    data = bytes((2, 2, width >> 8, width & 255))
    for channel in row.T:
        first = int(np.argmax(channel != channel[0])) or width
        data += bytes((128 + first, channel[0]))
        if rest := channel[first:].tobytes():
            data += bytes((len(rest),)) + rest
    return data


def colors(texels: np.ndarray) -> np.ndarray:
    value = texels[..., :3] / 256.0 * 2.0 ** (texels[..., 3:].astype(int) - 128)
    return np.where(texels[..., 3:] > 0, value, 0)


@pytest.fixture
def texels() -> np.ndarray:
    made = np.random.default_rng(5).integers(0, 256, (6, 12, 4)).astype(np.uint8)
    made[..., 3] = made[..., 3] % 20 + 120
    made[:, :5] = made[:, :1]
    made[0, 7] = 0
    return made


def test_plain_and_run_length_rows_have_the_defined_colours(texels):
    for body in (texels.tobytes(), b"".join(map(coded, texels))):
        read = decode_radiance(HEAD % texels.shape[:2] + body)
        assert read.dtype == np.float32
        np.testing.assert_allclose(read, colors(texels), rtol=1e-6)


def test_pictures_of_opencv_are_read(tmp_path):
    cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
    image = np.random.default_rng(2).uniform(0, 50, (8, 16, 3)).astype(np.float32)
    image[3:5, 2:12] = (0.5, 0.25, 8.0)
    assert cv2.imwrite(str(tmp_path / "x.hdr"), image[..., ::-1])
    data = (tmp_path / "x.hdr").read_bytes()
    assert is_radiance(data)
    np.testing.assert_allclose(decode_radiance(data), image, atol=float(image.max()) / 128)


@pytest.mark.parametrize("cut", [1, 30, 60, 100])
def test_damaged_files_have_one_clear_line(texels, cut):
    data = HEAD % texels.shape[:2] + b"".join(map(coded, texels))
    with pytest.raises(ValueError, match=r"^the Radiance HDR picture is damaged: .*\. Save the picture again$"):
        decode_radiance(data[:-cut])


@pytest.mark.parametrize("head", [b"#?RADIANCE\n\n+Y 2 +X 2\n", b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 2 +X 2\n"])
def test_other_layouts_are_rejected(head):
    with pytest.raises(ValueError, match="RGBE"):
        decode_radiance(head + bytes(16))


def test_a_picture_that_is_too_large_is_rejected_before_its_rows_are_read():
    with pytest.raises(ValueError, match="too large"):
        decode_radiance(HEAD % (99_999, 199_998))
