"""Effects of a camera sensor on colour pictures: exposure, white balance, vignetting, noise, shutter and JPEG.

The effects begin with the drawn picture. They have the order of a real camera: motion during the exposure, vignetting,
exposure, noise, white balance, and compression. Labels do not change.
"""

from dataclasses import asdict, dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.color import linear_to_srgb, srgb_to_linear
from ecs_anim.support.images import decode_image
from ecs_anim.view.shutter import Motion, exposed

Colors = NDArray[np.float64]  # [height, width, 3], linear RGB
NEUTRAL = 6504.0  # [K], colour temperature of white in sRGB
TO_SRGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])  # from CIE XYZ


@dataclass(frozen=True)
class Sensor:
    """The settings of a sensor. The default of each effect is off."""

    exposure_ev: float = 0.0  # 1 = twice as bright
    white_balance_kelvin: float = NEUTRAL  # [K], colour temperature of the light that the camera shows as white
    vignetting: float = 0.0  # lost share of the light in the corners
    full_well_electrons: float | None = None  # electrons of a white pixel; their number sets the shot noise. None = off
    read_noise_electrons: float = 0.0  # standard deviation of the read noise
    shutter_seconds: float = 0.0  # [s], exposure time
    rolling_shutter_seconds: float = 0.0  # [s], from the exposure of the first row to the exposure of the last row
    jpeg_quality: int | None = None  # 1 to 100; None = no compression

    @property
    def needs_motion(self) -> bool:
        """Return whether an effect depends on the motion during the exposure."""
        return self.shutter_seconds > 0 or self.rolling_shutter_seconds > 0

    def facts(self) -> dict[str, float | None]:
        """Return the settings for labels."""
        return asdict(self)

    def developed(
        self, picture: NDArray[np.uint8], rng: np.random.Generator, motion: Motion | None = None
    ) -> NDArray[np.uint8]:
        """Return the picture [height, width, 3] u8 of the sensor for a drawn picture in sRGB.

        `rng` draws the noise. Without `motion`, the shutter has no effect.
        """
        light: Colors = _LINEAR[picture]
        if motion is not None and self.needs_motion:
            light = exposed(light, motion, self.shutter_seconds, self.rolling_shutter_seconds)
        light = light * (2.0**self.exposure_ev * self._falloff(*picture.shape[:2]))
        if self.full_well_electrons is not None:
            light = self._noisy(light, self.full_well_electrons, rng)
        light = np.clip(light, 0, 1) * (white_of(NEUTRAL) / white_of(self.white_balance_kelvin))
        colors = np.rint(255 * linear_to_srgb(np.clip(light, 0, 1))).astype(np.uint8)
        return colors if self.jpeg_quality is None else _compressed(colors, self.jpeg_quality)

    def _falloff(self, height: int, width: int) -> Colors:
        """Return the share of the light that reaches each pixel, [height, width, 1]."""
        y, x = np.mgrid[:height, :width] + 0.5
        square = (2 * x / width - 1) ** 2 + (2 * y / height - 1) ** 2
        return np.asarray(1 - self.vignetting * square / 2)[..., None]

    def _noisy(self, light: Colors, full: float, rng: np.random.Generator) -> Colors:
        """Return the light with shot noise (the square root of the electrons) and read noise."""
        electrons = np.clip(light, 0, 1) * full
        spread = np.sqrt(electrons + self.read_noise_electrons**2)
        return (electrons + spread * rng.standard_normal(light.shape, np.float32)) / full


def white_of(kelvin: float) -> NDArray[np.float64]:
    """Return the linear colour [3] of a black body, with the luminance 1.

    Source: Kim and others, "Design of Advanced Color Temperature Control System" (2002), for 1,667 to 25,000 K.
    """
    t = 1000 / kelvin
    if kelvin < 4000:
        x = ((-0.2661239 * t - 0.2343589) * t + 0.8776956) * t + 0.179910
    else:
        x = ((-3.0258469 * t + 2.1070379) * t + 0.2226347) * t + 0.240390
    if kelvin < 2222:
        y = ((-1.1063814 * x - 1.34811020) * x + 2.18555832) * x - 0.20219683
    elif kelvin < 4000:
        y = ((-0.9549476 * x - 1.37418593) * x + 2.09137015) * x - 0.16748867
    else:
        y = ((3.0817580 * x - 5.87338670) * x + 3.75112997) * x - 0.37001483
    return np.maximum(np.sum(TO_SRGB * [x / y, 1, (1 - x - y) / y], axis=1), 0.01)


def _compressed(colors: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """Return the picture after compression as JPEG."""
    from PIL import Image

    data = BytesIO()
    Image.fromarray(colors).save(data, "JPEG", quality=quality)
    return decode_image(data.getvalue())[..., :3].copy()


_LINEAR = srgb_to_linear(np.arange(256) / 255)
